package flawed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/polling"
)

// SetNXGetSetPrinted is the SETNX and GETSET scheme as a much-copied article on
// "the right way" prints it in Java (its version 1), with the printed slips:
//
//   - The TTL is given in milliseconds and multiplied by 1,000 to make
//     nanoseconds, of which a millisecond has 1,000,000: leases end 1,000 times
//     too early, and others take them over.
//   - The time is System.nanoTime, which counts from an origin of each machine's
//     own, and is compared between machines: a machine that has been up for longer
//     sees every lease of the others ended, the others see none of its leases end.
//   - Where GET finds nothing it calls itself, drops the answer, which may be that
//     it holds the lock, and goes on to parse nothing: a NullPointerException.
//     Here Acquire returns ErrNullPointer, perhaps holding.
//   - What the thread holds is kept in a static field, one for all locks of the
//     process: the second lock that a thread takes overwrites the first, which
//     it then cannot release. [Record] is that field.
//   - Release has no result: here it returns nil also when it has removed nothing,
//     unless the store fails.
//
// Guarantee: none. What breaks it needs no fault: mutual-exclusion, no-lost-update and truthful-release in
// scenario contention, with no fault at all; progress in holder-crash, for those
// whose machine has not been up for as long as the dead one's; and all that
// breaks [SetNXGetSet].
//
// The printed code spins without a pause, for load and not for correctness: here
// it sleeps between tries as Options say. Defaults: those of [redislocks.SetPX].
type SetNXGetSetPrinted struct {
	client  getSetClient
	name    string
	options polling.Options
	uptime  time.Duration
	record  *Record
	began   time.Time // by the clock
}

// PrintedOptions are those of [SetNXGetSetPrinted].
type PrintedOptions struct {
	redislocks.Options
	// Uptime is how long the machine had been up when the locker was made:
	// from what its nanoTime counts. The default is 0.
	Uptime time.Duration
	// Record is where the process keeps what it holds; nil means one for all
	// locks of this program.
	Record *Record
}

// Record is what a process believes it holds. It stands for the static field of
// the printed code: that has one value for each thread, and a Record has one for
// each owner (see lock.WithOwner).
type Record struct {
	mu    sync.Mutex
	holds map[string]printedLock
}

// processRecord is the static field itself.
var processRecord = new(Record)

func (r *Record) set(owner string, held printedLock) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.holds == nil {
		r.holds = map[string]printedLock{}
	}
	r.holds[owner] = held
}

func (r *Record) get(owner string) (held printedLock, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	held, ok = r.holds[owner]
	return held, ok
}

func (r *Record) remove(owner string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.holds, owner)
}

// printedLock is the value of the key.
type printedLock struct {
	// ExpiryTime is in nanoseconds of the holder's nanoTime.
	ExpiryTime int64 `json:"expiryTime"`
}

func (p printedLock) String() string { return fmt.Sprintf(`{"expiryTime":%d}`, p.ExpiryTime) }

// ErrNullPointer is what Acquire returns where the printed code throws a
// NullPointerException.
var ErrNullPointer = errors.New("null pointer: the lock that was taken is gone")

// NewSetNXGetSetPrinted returns a locker for the lock of the given name, which
// is the key. It is safe for concurrent use if options.Rand is nil.
func NewSetNXGetSetPrinted(client getSetClient, name string, options PrintedOptions) *SetNXGetSetPrinted {
	l := &SetNXGetSetPrinted{
		client: client, name: name, options: withDefaults(options.Options), uptime: options.Uptime, record: options.Record,
	}
	if l.record == nil {
		l.record = processRecord
	}
	l.began = l.options.Clock.Now()
	return l
}

// nanoTime returns a monotonic clock of the machine's own.
func (l *SetNXGetSetPrinted) nanoTime() int64 {
	return int64(l.uptime + l.options.Clock.Since(l.began))
}

// Acquire tries until the lock is held, ctx is done or a try fails. Any error
// leaves open whether the lock was taken.
func (l *SetNXGetSetPrinted) Acquire(ctx context.Context) (lock.Lease, error) {
	owner, _ := lock.Owner(ctx)
	return l.options.Spin(ctx, func(ctx context.Context, _ string, ttl time.Duration) (lock.Lease, error) {
		acquired, err := l.tryAcquire(ctx, owner, ttl)
		if err != nil || !acquired {
			return nil, err
		}
		return &printedLease{l, owner}, nil
	})
}

func (l *SetNXGetSetPrinted) tryAcquire(ctx context.Context, owner string, ttl time.Duration) (bool, error) {
	expiryInNanos := ttl.Milliseconds() * 1000
	fresh := printedLock{l.nanoTime() + expiryInNanos}
	ok, err := l.client.SetNX(ctx, l.name, fresh.String(), 0).Result()
	if err != nil || ok {
		if ok {
			l.record.set(owner, fresh)
		}
		return ok, err
	}
	text, taken, err := polling.Get(ctx, l.client, l.name)
	if err != nil {
		return false, err
	}
	if !taken {
		// The answer is dropped, and what follows parses nothing.
		if _, err := l.tryAcquire(ctx, owner, ttl); err != nil {
			return false, err
		}
		return false, ErrNullPointer
	}
	var current printedLock
	if err := json.Unmarshal([]byte(text), &current); err != nil {
		return false, err
	}
	if current.ExpiryTime >= l.nanoTime() {
		return false, nil
	}
	origin, err := l.client.GetSet(ctx, l.name, fresh.String()).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return false, err
	}
	if origin == "" || origin == text {
		l.record.set(owner, fresh)
		return true, nil
	}
	return false, nil
}

type printedLease struct {
	lock  *SetNXGetSetPrinted
	owner string
}

// Release deletes the key if it has the value that the process believes to hold. It
// does not report whether it has.
func (l *printedLease) Release(ctx context.Context) error {
	record, client, name := l.lock.record, l.lock.client, l.lock.name
	held, ok := record.get(l.owner)
	if !ok {
		return nil
	}
	text, taken, err := polling.Get(ctx, client, name)
	if err != nil {
		return fmt.Errorf("redislocks: release: %w", err)
	}
	var current printedLock
	if !taken || json.Unmarshal([]byte(text), &current) != nil || current != held {
		return nil
	}
	record.remove(l.owner)
	if err := client.Del(ctx, name).Err(); err != nil {
		return fmt.Errorf("redislocks: release: %w", err)
	}
	return nil
}
