package pull_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/pull"
)

// TestHotspots: of the threads of a process one at a time asks the store, and
// for names that are not registered all do.
func TestHotspots(t *testing.T) {
	for _, test := range []struct {
		name       string
		registered []string
		first, all int // requests while the first holds, and at least in all
	}{
		{"registered", []string{name}, 1, 6},
		{"others", []string{"payments"}, 6, 11},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newStand(t)
			l := s.locker(pull.Options{TTL: time.Hour, Handlers: []pull.Handler{pull.NewHotspots(test.registered...)}})
			first := s.acquire(l)
			inside := make(chan lock.Lease)
			for range 5 {
				go func() {
					lease, err := l.Acquire(t.Context())
					s.is(err, nil)
					inside <- lease
				}()
			}
			time.Sleep(20 * time.Millisecond)
			s.eventually(func() bool { return s.store.count("add") == test.first })
			s.is(first.Release(t.Context()), nil)
			for range 5 {
				s.is(drive(s, inside).Release(t.Context()), nil)
			}
			if n := s.store.count("add"); n < test.all || n > test.all && test.first == 1 {
				t.Errorf("%d requests for 6 acquisitions, want %d", n, test.all)
			}
		})
	}
}

// TestHotspotsWait: who waits at the gate gives up as if he had waited for the
// store, without having asked it.
func TestHotspotsWait(t *testing.T) {
	s := newStand(t)
	l := s.locker(pull.Options{TTL: time.Hour, Wait: 3 * time.Second, Handlers: []pull.Handler{pull.NewHotspots(name)}})
	lease := s.acquire(l)
	_, err := l.TryAcquire(t.Context())
	s.is(err, lock.ErrNotAcquired)
	s.is(drive(s, s.acquiring(t.Context(), l)).err, pull.ErrTimeout)
	ctx, cancel := context.WithCancel(t.Context())
	got := s.acquiring(ctx, l)
	time.Sleep(10 * time.Millisecond)
	cancel()
	s.is((<-got).err, context.Canceled)
	endless := s.locker(pull.Options{TTL: time.Hour, Handlers: []pull.Handler{pull.NewHotspots(name)}})
	if n := s.store.count("add"); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	s.is(lease.Release(t.Context()), nil)
	s.is(s.acquire(endless).Release(t.Context()), nil)
}

// TestHotspotsGiveBack: whatever becomes of the store's lock, the gate opens
// again, once.
func TestHotspotsGiveBack(t *testing.T) {
	for _, test := range []struct {
		name string
		use  func(s *stand, l *pull.Locker)
	}{
		{"released", func(s *stand, l *pull.Locker) { s.is(s.acquire(l).Release(s.Context()), nil) }},
		{"released twice", func(s *stand, l *pull.Locker) {
			lease := s.acquire(l)
			s.is(lease.Release(s.Context()), nil)
			s.is(lease.Release(s.Context()), lock.ErrNotHeld)
		}},
		{"the store fails", func(s *stand, l *pull.Locker) {
			s.store.fails("add", 1, false)
			_, err := l.Acquire(s.Context())
			s.is(err, errStore)
		}},
		{"the store panics", func(s *stand, l *pull.Locker) {
			s.store.before = func(string) error { s.store.before = nil; panic(errStore) }
			defer func() { _ = recover() }()
			_, _ = l.Acquire(s.Context())
		}},
		{"taken", func(s *stand, l *pull.Locker) {
			s.store.take(name, "somebody", time.Hour)
			_, err := l.TryAcquire(s.Context())
			s.is(err, lock.ErrNotAcquired)
			s.store.free(name)
		}},
		{"the release fails", func(s *stand, l *pull.Locker) {
			lease := s.acquire(l)
			s.store.fails("delete", 3, true)
			released := make(chan error, 1)
			go func() { released <- lease.Release(s.Context()) }()
			s.is(drive(s, released), errStore)
			s.is(lease.Release(s.Context()), pull.ErrUnsure)
		}},
		{"lost, and never released", func(s *stand, l *pull.Locker) {
			lease := s.acquire(l)
			s.clock.Advance(time.Minute)
			s.lost(lease, true)
		}},
		{"lost, and then released", func(s *stand, l *pull.Locker) {
			lease := s.acquire(l)
			s.clock.Advance(time.Minute)
			s.lost(lease, true)
			s.is(lease.Release(s.Context()), lock.ErrNotHeld)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newStand(t)
			l := s.locker(pull.Options{Handlers: []pull.Handler{pull.NewHotspots(name)}})
			test.use(s, l)
			first, err := l.TryAcquire(t.Context())
			if err != nil {
				t.Fatalf("the gate has not opened: %v", err)
			}
			if _, err = l.TryAcquire(t.Context()); err == nil {
				t.Error("the gate is open for two")
			}
			s.is(first.Release(t.Context()), nil)
		})
	}
}

// TestHotspotsOrder: the store's lock is given back before the gate.
func TestHotspotsOrder(t *testing.T) {
	s := newStand(t)
	l := s.locker(pull.Options{TTL: time.Hour, Handlers: []pull.Handler{pull.NewHotspots(name)}})
	lease := s.acquire(l)
	s.store.before = func(o string) error {
		if o == "delete" {
			_, err := l.TryAcquire(t.Context())
			s.is(err, lock.ErrNotAcquired)
		}
		return nil
	}
	s.is(lease.Release(t.Context()), nil)
	if want := []string{"add", "delete"}; !slices.Equal(s.store.asked, want) {
		t.Errorf("asked %q, want %q: the gate was still closed", s.store.asked, want)
	}
}

// TestHotspotsRegister: names come and go while they are locked.
func TestHotspotsRegister(t *testing.T) {
	s := newStand(t)
	h := pull.NewHotspots()
	l := s.locker(pull.Options{TTL: time.Hour, Handlers: []pull.Handler{h}})
	before := s.acquire(l)
	h.Register(name)
	s.is(before.Release(t.Context()), nil)
	lease := s.acquire(l)
	h.Unregister(name)
	h.Register(name)
	s.is(lease.Release(t.Context()), nil)
	s.is(s.acquire(l).Release(t.Context()), nil)
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() { h.Register(name); h.Unregister(name) })
	}
	done.Wait()
}
