package pull_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock/pull"
)

// memory is a store in memory. What a request does, and what is answered to it,
// can be made to go wrong.
type memory struct {
	clock clockwork.Clock

	mu      sync.Mutex
	records map[string]record
	asked   []string // the operations, in order
	before  func(operation string) error
	after   func(operation string) error // the answer is lost: it is done nevertheless
}

type record struct {
	value string
	ends  time.Time
}

var errStore = errors.New("the store does not answer")

func newMemory(clock clockwork.Clock) *memory {
	return &memory{clock: clock, records: map[string]record{}}
}

// do is one request.
func (m *memory) do(ctx context.Context, operation string, f func() bool) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err // it was not sent
	}
	m.mu.Lock()
	m.asked = append(m.asked, operation)
	before, after := m.before, m.after
	m.mu.Unlock()
	if before != nil {
		if err := before(operation); err != nil {
			return false, err
		}
	}
	m.mu.Lock()
	answer := f()
	m.mu.Unlock()
	if after != nil {
		if err := after(operation); err != nil {
			return false, err
		}
	}
	return answer, nil
}

// at is the value of a record that has not ended.
func (m *memory) at(name string) string {
	if r, ok := m.records[name]; ok && m.clock.Now().Before(r.ends) {
		return r.value
	}
	return ""
}

func (m *memory) AddIfAbsent(ctx context.Context, name, value string, ttl time.Duration) (bool, error) {
	return m.do(ctx, "add", func() bool {
		if had := m.at(name); had != "" && had != value {
			return false
		}
		m.records[name] = record{value, m.clock.Now().Add(ttl)}
		return true
	})
}

func (m *memory) CompareAndDelete(ctx context.Context, name, value string) (bool, error) {
	return m.do(ctx, "delete", func() bool {
		had := m.at(name) == value
		if had {
			delete(m.records, name)
		}
		return had
	})
}

func (m *memory) CompareAndExpire(ctx context.Context, name, value string, ttl time.Duration) (bool, error) {
	return m.do(ctx, "expire", func() bool {
		if m.at(name) != value {
			return false
		}
		m.records[name] = record{value, m.clock.Now().Add(ttl)}
		return true
	})
}

// holder is who has the lock, "" for nobody.
func (m *memory) holder(name string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.at(name)
}

// take gives the lock to somebody else.
func (m *memory) take(name, value string, ttl time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.records[name] = record{value, m.clock.Now().Add(ttl)}
}

// free takes the lock from whoever has it.
func (m *memory) free(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.records, name)
}

// count is how many requests of a kind there were.
func (m *memory) count(operation string) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, o := range m.asked {
		if o == operation {
			n++
		}
	}
	return n
}

// fails makes the first n requests of a kind fail, done or not.
func (m *memory) fails(operation string, n int, done bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := func(o string) error {
		m.mu.Lock()
		defer m.mu.Unlock()
		if o == operation && n > 0 {
			n--
			return errStore
		}
		return nil
	}
	if done {
		m.after = f
	} else {
		m.before = f
	}
}

var _ pull.Store = (*memory)(nil)
