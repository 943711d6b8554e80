package pull_test

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/pull"
)

// lost reports whether a lease reports that it is lost, soon or not at all.
func (s *stand) lost(l lock.Lease, want bool) {
	s.Helper()
	patience := 20 * time.Second
	if !want {
		patience = 20 * time.Millisecond
	}
	select {
	case <-l.(lock.Notifier).Lost():
		if !want {
			s.Error("the lease is lost")
		}
	case <-time.After(patience):
		if want {
			s.Error("the lease does not know that it is lost")
		}
	}
}

// TestEnd: a lease ends with its validity, and reports that; a release after that says
// whether there was something left to release.
func TestEnd(t *testing.T) {
	s := newStand(t)
	lease := s.acquire(s.locker(pull.Options{Drift: time.Second}))
	s.clock.Advance(9*time.Second - 1)
	s.lost(lease, false)
	s.clock.Advance(1)
	s.lost(lease, true)
	s.is(lease.(lock.Extender).Extend(t.Context(), time.Hour), lock.ErrNotHeld)
	if s.store.holder(name) == "" {
		t.Error("the record has ended before its TTL")
	}
	s.is(lease.Release(t.Context()), nil) // within the margin the record was still there

	lease = s.acquire(s.locker(pull.Options{}))
	s.clock.Advance(time.Minute)
	s.is(lease.Release(t.Context()), lock.ErrNotHeld)

	lease = s.acquire(s.locker(pull.Options{}))
	s.is(lease.Release(t.Context()), nil)
	s.clock.Advance(time.Minute)
	s.lost(lease, false) // it was given up, not lost
}

func TestExtend(t *testing.T) {
	s := newStand(t)
	lease := s.acquire(s.locker(pull.Options{Drift: time.Second}))
	extend := lease.(lock.Extender).Extend
	begin := s.clock.Now()
	s.clock.Advance(8 * time.Second)
	s.is(extend(t.Context(), 20*time.Second), nil)
	if until := lease.(lock.Expirer).Until(); until.Sub(begin) != 27*time.Second {
		t.Errorf("valid for %v, want 27s", until.Sub(begin))
	}
	s.clock.Advance(18 * time.Second)
	s.lost(lease, false)

	s.store.fails("expire", 1, true)
	s.is(extend(t.Context(), time.Hour), errStore)
	if until := lease.(lock.Expirer).Until(); until.Sub(begin) != 27*time.Second {
		t.Errorf("after an Extend without an outcome: valid for %v, want 27s as before", until.Sub(begin))
	}

	s.store.after = func(string) error { s.clock.Advance(5 * time.Second); return nil }
	s.is(extend(t.Context(), time.Hour), lock.ErrNotHeld) // the validity was over before the answer came
	s.store.after = nil
	s.lost(lease, true)
	s.is(lease.Release(t.Context()), nil) // it had been prolonged all the same

	lease = s.acquire(s.locker(pull.Options{TTL: 100 * time.Hour}))
	s.store.take(name, "somebody", time.Hour)
	s.is(lease.(lock.Extender).Extend(t.Context(), time.Hour), lock.ErrNotHeld)
	s.lost(lease, true)
}

// TestRenewal: a lease that is renewed lives on, for itself only, for as long as
// it may be renewed, and reports its end.
func TestRenewal(t *testing.T) {
	s := newStand(t)
	l := s.locker(pull.Options{TTL: 9 * time.Second, Drift: time.Second, Renew: true, RenewFor: time.Minute})
	lease := s.acquire(l)
	begin := s.clock.Now()
	for n := 1; n <= 19; n++ { // at 3, 6, ... 57 s
		s.clock.Advance(3 * time.Second)
		s.eventually(func() bool { return s.store.count("expire") == n })
		want := begin.Add(time.Duration(3*n+8) * time.Second)
		s.eventually(func() bool { return lease.(lock.Expirer).Until().Equal(want) })
	}
	s.clock.Advance(3 * time.Second) // a minute: no more
	s.clock.Advance(4 * time.Second)
	s.lost(lease, false)
	s.clock.Advance(time.Second)
	s.lost(lease, true)
	if n := s.store.count("expire"); n != 19 {
		t.Errorf("%d renewals, want 19", n)
	}

	s.store.free(name)
	lease = s.acquire(l)
	s.is(lease.Release(t.Context()), nil)
	s.clock.Advance(time.Minute)
	if n := s.store.count("expire"); n != 19 {
		t.Errorf("%d renewals, want none of what is released", n-19)
	}
}

// TestRenewalFails: what is not known is asked again soon; what is gone is
// reported.
func TestRenewalFails(t *testing.T) {
	s := newStand(t)
	l := s.locker(pull.Options{TTL: 10 * time.Second, Renew: true})
	lease := s.acquire(l)
	s.store.fails("expire", 2, false)
	s.clock.Advance(10 * time.Second / 3)
	s.eventually(func() bool { return s.store.count("expire") == 1 })
	for n := 2; n <= 3; n++ {
		s.eventually(func() bool {
			s.clock.Advance(time.Second / 10)
			return s.store.count("expire") >= n
		})
	}
	s.lost(lease, false)
	s.store.take(name, "somebody", time.Hour)
	s.eventually(func() bool {
		s.clock.Advance(time.Second / 10)
		select {
		case <-lease.(lock.Notifier).Lost():
			return true
		default:
			return false
		}
	})
	s.is(lease.Release(t.Context()), lock.ErrNotHeld)
	if who := s.store.holder(name); who != "somebody" {
		t.Errorf("the lock is held by %q", who)
	}
}

// eventually waits for something that other goroutines do.
func (s *stand) eventually(what func() bool) {
	s.Helper()
	for range 10_000 {
		if what() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	s.Fatal("it has not come about")
}
