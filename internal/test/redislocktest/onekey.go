package redislocktest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/jonboulle/clockwork"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// OneKey tests locks that are one key with a TTL and whose release, as long as nothing fails, removes no other's key, over
// a Redis in memory with a clock of the test's own.
func OneKey(t *testing.T, lockers map[string]func(*redis.Client, redislocks.Options) lock.Locker) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, *miniredis.Miniredis, func(redislocks.Options) lock.Locker)
	}{
		{"hold", testHold}, {"defaults", testDefaults}, {"wait", testWait}, {"release too late", testReleaseTooLate},
		{"errors", testErrors}, {"threads", testThreads},
	} {
		for _, id := range slices.Sorted(maps.Keys(lockers)) {
			t.Run(test.name+"/"+id, func(t *testing.T) {
				m, client := InMemory(t)
				test.run(t, m, func(o redislocks.Options) lock.Locker { return lockers[id](client, o) })
			})
		}
	}
}

// testHold is the life of a lease: a key with a TTL, and gone when released.
func testHold(t *testing.T, m *miniredis.Miniredis, make func(redislocks.Options) lock.Locker) {
	l := make(redislocks.Options{TTL: 7 * time.Second})
	lease := Acquire(t.Context(), t, l)
	if ttl := m.TTL(Name); ttl != 7*time.Second {
		t.Errorf("the key lives for %v, want 7s", ttl)
	}
	if err := lease.Release(t.Context()); err != nil || m.Exists(Name) {
		t.Errorf("after Release (%v) the key exists: %v", err, m.Exists(Name))
	}
	Acquire(lock.WithTTL(t.Context(), 3*time.Second), t, l)
	if ttl := m.TTL(Name); ttl != 3*time.Second {
		t.Errorf("with WithTTL the key lives for %v, want 3s", ttl)
	}
}

// testDefaults tests zero and odd options.
func testDefaults(t *testing.T, m *miniredis.Miniredis, make func(redislocks.Options) lock.Locker) {
	Acquire(t.Context(), t, make(redislocks.Options{}))
	if ttl := m.TTL(Name); ttl != 30*time.Second {
		t.Errorf("the key lives for %v, want 30s", ttl)
	}
	m.FlushAll()
	Acquire(t.Context(), t, make(redislocks.Options{TTL: time.Nanosecond}))
	if ttl := m.TTL(Name); ttl != time.Millisecond {
		t.Errorf("the key lives for %v, want 1ms", ttl)
	}
	for _, ttl := range []time.Duration{0, -1, time.Microsecond} {
		m.FlushAll()
		Acquire(lock.WithTTL(t.Context(), ttl), t, make(redislocks.Options{}))
		if got := m.TTL(Name); got != time.Millisecond {
			t.Errorf("with WithTTL(%v) the key lives for %v, want 1ms", ttl, got)
		}
	}
}

// testWait shows that a second client waits, and gives up with its context.
func testWait(t *testing.T, m *miniredis.Miniredis, make func(redislocks.Options) lock.Locker) {
	clock := clockwork.NewFakeClock()
	l := make(redislocks.Options{Clock: clock, MinSleep: time.Second, RandomSleep: time.Nanosecond})
	held := Acquire(t.Context(), t, l)
	ctx, cancel := context.WithCancel(t.Context())
	result := Waiting(ctx, l)
	if err := clock.BlockUntilContext(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-result; errors.Is(err, lock.ErrNotAcquired) || !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled Acquire says %v", err)
	}
	result = Waiting(t.Context(), l)
	if err := clock.BlockUntilContext(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if err := held.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	clock.Advance(time.Second)
	if err := <-result; err != nil {
		t.Errorf("the waiting client got %v", err)
	}
}

// testReleaseTooLate shows that an expired lease reports that, and leaves the next one alone.
func testReleaseTooLate(t *testing.T, m *miniredis.Miniredis, make func(redislocks.Options) lock.Locker) {
	l := make(redislocks.Options{TTL: time.Second})
	late := Acquire(t.Context(), t, l)
	m.FastForward(time.Second)
	if err := late.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("Release of a lease that ran out says %v", err)
	}
	Acquire(t.Context(), t, l)
	if err := late.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) || !m.Exists(Name) {
		t.Errorf("Release of another's lock says %v; the key exists: %v", err, m.Exists(Name))
	}
}

// testErrors shows that an error of the store is not taken for an answer.
func testErrors(t *testing.T, m *miniredis.Miniredis, make func(redislocks.Options) lock.Locker) {
	l := make(redislocks.Options{})
	lease := Acquire(t.Context(), t, l)
	m.SetError("OOM no memory")
	if err := lease.Release(t.Context()); err == nil || errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("Release says %v", err)
	}
	if _, err := l.Acquire(t.Context()); err == nil || errors.Is(err, lock.ErrNotAcquired) {
		t.Errorf("Acquire says %v", err)
	}
}

// testThreads shares one locker among goroutines.
func testThreads(t *testing.T, _ *miniredis.Miniredis, make func(redislocks.Options) lock.Locker) {
	l := make(redislocks.Options{MinSleep: time.Microsecond, RandomSleep: time.Microsecond})
	inside := 0
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() {
			for range 20 {
				lease, err := l.Acquire(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				inside++ // the race detector watches
				if err := lease.Release(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	if inside != 8*20 {
		t.Errorf("%d critical sections, want %d", inside, 8*20)
	}
}
