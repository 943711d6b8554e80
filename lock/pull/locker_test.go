package pull_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/pull"
)

const name = "orders"

// stand is a store by a clock that only the test moves.
type stand struct {
	*testing.T
	clock *clockwork.FakeClock
	store *memory
}

func newStand(t *testing.T) *stand {
	clock := clockwork.NewFakeClock()
	return &stand{t, clock, newMemory(clock)}
}

func (s *stand) locker(o pull.Options) *pull.Locker {
	o.Clock = s.clock
	if o.TTL == 0 {
		o.TTL = 10 * time.Second
	}
	if o.IOTimeout == 0 {
		o.IOTimeout = time.Minute // real ones
	}
	return pull.New(s.store, name, o)
}

// sleeps waits until so many goroutines wait for the clock, and moves it.
func (s *stand) sleeps(waiters int, d time.Duration) {
	s.Helper()
	if err := s.clock.BlockUntilContext(s.Context(), waiters); err != nil {
		s.Fatal(err)
	}
	s.clock.Advance(d)
}

func (s *stand) acquire(l lock.Locker) lock.Lease {
	s.Helper()
	lease, err := l.Acquire(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	return lease
}

// drive moves the clock, a second at a time, until something comes.
func drive[T any](s *stand, c <-chan T) T {
	for {
		select {
		case v := <-c:
			return v
		case <-time.After(time.Millisecond):
			s.clock.Advance(time.Second)
		}
	}
}

type answer struct {
	lease lock.Lease
	err   error
}

// acquiring acquires in a goroutine of its own.
func (s *stand) acquiring(ctx context.Context, l lock.Locker) <-chan answer {
	c := make(chan answer, 1)
	go func() {
		lease, err := l.Acquire(ctx)
		c <- answer{lease, err}
	}()
	return c
}

// is checks an error.
func (s *stand) is(err, want error) {
	s.Helper()
	if !errors.Is(err, want) || want == nil && err != nil {
		s.Errorf("the error is %v, want %v", err, want)
	}
}

func TestHold(t *testing.T) {
	s := newStand(t)
	l := s.locker(pull.Options{Drift: 100 * time.Millisecond})
	begin := s.clock.Now()
	lease := s.acquire(l)
	if until := lease.(lock.Expirer).Until(); !until.Equal(begin.Add(9900 * time.Millisecond)) {
		t.Errorf("valid for %v, want 9.9s", until.Sub(begin))
	}
	first := s.store.holder(name)
	_, err := l.TryAcquire(t.Context())
	s.is(err, lock.ErrNotAcquired)
	s.is(lease.Release(t.Context()), nil)
	s.is(lease.Release(t.Context()), lock.ErrNotHeld)
	if n := s.store.count("delete"); n != 1 {
		t.Errorf("%d deletions, want 1: what is released is not asked for again", n)
	}
	again := s.acquire(l)
	if second := s.store.holder(name); second == first || second == "" {
		t.Errorf("the values of two acquisitions are %q and %q", first, second)
	}
	s.is(lease.Release(t.Context()), lock.ErrNotHeld)
	s.is(again.Release(t.Context()), nil)
}

func TestDefaults(t *testing.T) {
	if got := (pull.Options{}).RequestTimeout(); got != 2*time.Second {
		t.Errorf("a request may take %v, want 2s", got)
	}
	if got := (pull.Options{TTL: 3 * time.Second}).RequestTimeout(); got != time.Second {
		t.Errorf("with a TTL of 3s a request may take %v, want 1s", got)
	}
	clock := clockwork.NewFakeClock()
	store := newMemory(clock)
	lease, err := pull.New(store, name, pull.Options{Clock: clock}).Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if valid := clock.Until(lease.(lock.Expirer).Until()); valid != 30*time.Second-302*time.Millisecond {
		t.Errorf("valid for %v, want 29.698s", valid)
	}
}

// TestTTL: a caller that expects more work asks for more, for once.
func TestTTL(t *testing.T) {
	s := newStand(t)
	l := s.locker(pull.Options{TTL: 10 * time.Second})
	for _, test := range []struct {
		ctx  context.Context
		want time.Duration
	}{{lock.WithTTL(t.Context(), 20*time.Second), 20 * time.Second}, {t.Context(), 10 * time.Second}} {
		lease, err := l.Acquire(test.ctx)
		if err != nil {
			t.Fatal(err)
		}
		if ttl := s.clock.Until(s.store.records[name].ends); ttl != test.want {
			t.Errorf("the record lives for %v, want %v", ttl, test.want)
		}
		s.is(lease.Release(t.Context()), nil)
	}
}

// TestTimeout: D is over; how long the last sleep is does not matter.
func TestTimeout(t *testing.T) {
	s := newStand(t)
	s.store.take(name, "somebody", time.Hour)
	l := s.locker(pull.Options{Wait: 25 * time.Second, MinSleep: 10 * time.Second, RandomSleep: 1})
	got := s.acquiring(t.Context(), l)
	for _, d := range []time.Duration{10 * time.Second, 10 * time.Second, 5 * time.Second} {
		s.sleeps(1, d)
	}
	err := (<-got).err
	s.is(err, pull.ErrTimeout)
	s.is(err, lock.ErrNotAcquired)
	if outcome := pull.OutcomeOf(err); outcome != pull.TimedOut {
		t.Errorf("the outcome is %q", outcome)
	}
	if n := s.store.count("add"); n != 4 {
		t.Errorf("%d requests, want 4: at 0, 10, 20 and 25 s", n)
	}
	if n := s.store.count("delete"); n != 0 {
		t.Errorf("%d deletions of what was never had", n)
	}
}

// TestSleep: pauses are spread over [min, min+random).
func TestSleep(t *testing.T) {
	s := newStand(t)
	s.store.take(name, "somebody", time.Hour)
	const low, spread, tries = 10 * time.Millisecond, 10 * time.Millisecond, 200
	var at []time.Time
	s.store.before = func(string) error {
		s.store.mu.Lock()
		defer s.store.mu.Unlock()
		at = append(at, s.clock.Now())
		return nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	got := s.acquiring(ctx, s.locker(pull.Options{MinSleep: low, RandomSleep: spread, Rand: rand.New(rand.NewPCG(1, 2))}))
	for s.store.count("add") <= tries {
		s.sleeps(1, time.Millisecond/4)
	}
	cancel()
	err := (<-got).err
	s.is(err, context.Canceled)
	s.is(err, lock.ErrNotAcquired) // it slept: nothing is under way
	least, most := time.Hour, time.Duration(0)
	for i := 1; i < len(at); i++ {
		least, most = min(least, at[i].Sub(at[i-1])), max(most, at[i].Sub(at[i-1]))
	}
	if least < low || least > low+spread/4 || most > low+spread+time.Millisecond || most < low+spread*3/4 {
		t.Errorf("of %d pauses the shortest is %v, the longest %v; want them all over [%v, %v)", tries, least, most, low, low+spread)
	}
}

// TestOwnRecord: an answer is lost, and the client library has sent the request
// again: it finds what it took.
func TestOwnRecord(t *testing.T) {
	s := newStand(t)
	twice := retrying{s.store}
	lease, err := pull.New(twice, name, pull.Options{Clock: s.clock}).Acquire(t.Context())
	s.is(err, nil)
	s.is(lease.Release(t.Context()), nil)
}

// retrying sends every request for the lock twice.
type retrying struct{ pull.Store }

func (r retrying) AddIfAbsent(ctx context.Context, name, value string, ttl time.Duration) (bool, error) {
	_, _ = r.Store.AddIfAbsent(ctx, name, value, ttl)
	return r.Store.AddIfAbsent(ctx, name, value, ttl)
}

// TestCleanUp: an Acquire that fails leaves nothing, also if the caller's
// context is dead, and also if the first removal fails.
func TestCleanUp(t *testing.T) {
	for _, test := range []struct {
		name    string
		prepare func(s *stand, cancel func())
		want    []error
	}{
		{"the answer is lost", func(s *stand, _ func()) { s.store.fails("add", 1, true) }, []error{errStore}},
		{"the caller goes", func(s *stand, cancel func()) {
			s.store.after = func(o string) error {
				if o != "add" {
					return nil
				}
				cancel()
				return context.Canceled
			}
		}, []error{context.Canceled}},
		{"the answer is late", func(s *stand, _ func()) {
			s.store.after = func(o string) error { s.clock.Advance(time.Minute); return nil }
			s.store.before = func(o string) error {
				if o == "delete" { // somebody else has it by now
					s.store.take(name, "somebody", time.Hour)
				}
				return nil
			}
		}, []error{pull.ErrTooLate}},
		{"the answer comes at the end of the validity", func(s *stand, _ func()) {
			s.store.after = func(o string) error {
				if o == "add" {
					s.clock.Advance(10*time.Second - 102*time.Millisecond)
				}
				return nil
			}
		}, []error{pull.ErrTooLate}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newStand(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			test.prepare(s, cancel)
			_, err := s.locker(pull.Options{}).Acquire(ctx)
			for _, want := range test.want {
				s.is(err, want)
			}
			if errors.Is(err, lock.ErrNotAcquired) {
				t.Error("it says that it is certain to hold nothing, while a request may be under way")
			}
			if who := s.store.holder(name); who != "" && who != "somebody" {
				t.Errorf("the record of %q is left", who)
			}
			if s.store.count("delete") == 0 {
				t.Error("nothing was removed")
			}
		})
	}
}

// TestRelease: what it answers, and how often it asks.
func TestRelease(t *testing.T) {
	for _, test := range []struct {
		name    string
		prepare func(s *stand)
		want    error
		outcome pull.Outcome
		asked   int
		left    bool
	}{
		{"held", func(*stand) {}, nil, pull.Succeeded, 1, false},
		{"gone", func(s *stand) { s.store.free(name) }, lock.ErrNotHeld, pull.NotHeld, 1, false},
		{"another's", func(s *stand) { s.store.take(name, "somebody", 1000*time.Hour) }, lock.ErrNotHeld, pull.NotHeld, 1, true},
		{"a request is lost", func(s *stand) { s.store.fails("delete", 2, false) }, nil, pull.Succeeded, 3, false},
		{"an answer is lost", func(s *stand) { s.store.fails("delete", 1, true) }, pull.ErrUnsure, pull.Unsure, 2, false},
		{"the store is away", func(s *stand) { s.store.fails("delete", 3, false) }, errStore, pull.Failed, 3, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newStand(t)
			lease := s.acquire(s.locker(pull.Options{MinSleep: time.Second, TTL: 1000 * time.Hour}))
			test.prepare(s)
			ctx, cancel := context.WithCancel(t.Context())
			cancel() // a release is wanted all the same
			released := make(chan error, 1)
			go func() { released <- lease.Release(ctx) }()
			err := drive(s, released)
			s.is(err, test.want)
			if got := pull.OutcomeOf(err); got != test.outcome {
				t.Errorf("the outcome is %q, want %q", got, test.outcome)
			}
			if n := s.store.count("delete"); n != test.asked {
				t.Errorf("asked %d times, want %d", n, test.asked)
			}
			if left := s.store.holder(name) != ""; left != test.left {
				t.Errorf("a record is left: %v, want %v", left, test.left)
			}
			if test.outcome == pull.Failed { // and once more, when the store is back
				s.is(lease.Release(ctx), nil)
			}
		})
	}
}
