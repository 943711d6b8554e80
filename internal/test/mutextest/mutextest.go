package mutextest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
)

// Number is the number that clients add to. For locks without memory ordering that the race detector knows of it may be an
// [*sync/atomic.Int64]: separate Load and Store lose an addition as two statements do.
type Number interface {
	Load() int64
	Store(int64)
}

// Plain is a Number that the race detector checks.
type Plain struct{ n int64 }

// Load returns the number.
func (p *Plain) Load() int64 { return p.n }

// Store sets it.
func (p *Plain) Store(n int64) { p.n = n }

// Exclusion makes several clients, each with a locker of its own, add to a number, and fails if an addition is lost.
func Exclusion(t *testing.T, value Number, client func() lock.Locker) {
	t.Helper()
	const clients, rounds = 4, 20
	var group sync.WaitGroup
	for range clients {
		locker := client()
		group.Go(func() {
			for range rounds {
				lease, err := locker.Acquire(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				was := value.Load()
				time.Sleep(100 * time.Microsecond)
				value.Store(was + 1)
				if err := lease.Release(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if got := value.Load(); got != clients*rounds {
		t.Errorf("%d additions of %d are there", got, clients*rounds)
	}
}

// Waiting tests that a waiter gives up with its context and leaves nothing behind, and that a second Release reports that
// nothing is held.
func Waiting(t *testing.T, locker lock.Locker) {
	t.Helper()
	lease, err := locker.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := locker.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a waiter whose context ends: %v", err)
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Errorf("release: %v", err)
	}
	if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("the second release: %v", err)
	}
	again, err := locker.Acquire(t.Context())
	if err != nil {
		t.Fatalf("after a waiter that gave up: %v", err)
	}
	if err := again.Release(t.Context()); err != nil {
		t.Error(err)
	}
}
