package pull_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/pull"
)

// reader is a store that can look.
type reader struct{ *memory }

func (r reader) Has(ctx context.Context, name, value string) (bool, error) {
	return r.do(ctx, "has", func() bool { return r.at(name) == value })
}

// TestHeld: a lease over a store that can look can be asked, and one that is found
// gone is lost; one that is known to be over is not asked about.
func TestHeld(t *testing.T) {
	s := newStand(t)
	if _, can := s.acquire(s.locker(pull.Options{})).(lock.Checker); can {
		t.Error("a store is asked that cannot look")
	}
	s.store.free(name)
	held := func(l lock.Lease, want bool, is error) {
		t.Helper()
		if got, err := l.(lock.Checker).Held(t.Context()); got != want || !errors.Is(err, is) {
			t.Errorf("Held says %v, %v; want %v, %v", got, err, want, is)
		}
	}
	l := pull.New(reader{s.store}, name, pull.Options{TTL: 10 * time.Second, Clock: s.clock, IOTimeout: time.Minute})
	lease := s.acquire(l)
	held(lease, true, nil)
	s.store.before = func(string) error { return errStore }
	held(lease, false, errStore)
	s.lost(lease, false)
	s.store.before = nil
	s.store.free(name)
	held(lease, false, nil)
	s.lost(lease, true)

	lease = s.acquire(l)
	s.clock.Advance(time.Minute)
	s.lost(lease, true)
	asked := len(s.store.asked)
	held(lease, false, nil)
	if len(s.store.asked) != asked {
		t.Error("the store is asked about a lease that is over")
	}
}
