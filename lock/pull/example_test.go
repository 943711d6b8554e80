package pull_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock/pull"
)

// workingHours is a handler that lets nobody have the lock at night.
type workingHours struct {
	pull.Pass
	clock clockwork.Clock
}

var errNight = errors.New("come back at eight")

func (w workingHours) Acquire(ctx context.Context, a *pull.Acquisition, next func(context.Context) error) error {
	if hour := w.clock.Now().Hour(); hour < 8 || hour >= 18 {
		return errNight // and the store is not asked
	}
	return next(ctx)
}

// A handler may act before and after, or stop the chain.
func ExampleHandler() {
	clock := clockwork.NewFakeClockAt(time.Date(2000, 1, 1, 7, 59, 0, 0, time.UTC))
	store := newMemory(clock) // your store
	locker := pull.New(store, "orders", pull.Options{
		Clock: clock, Handlers: []pull.Handler{workingHours{clock: clock}},
	})
	ctx := context.Background()

	_, err := locker.Acquire(ctx)
	fmt.Println(err)
	clock.Advance(time.Minute)
	lease, err := locker.Acquire(ctx)
	fmt.Println(err, lease.Release(ctx))
	// Output:
	// pull: acquire "orders": come back at eight
	// <nil> <nil>
}

// Of those who wait, one learns that it has waited in vain, and another that
// the store has failed.
func ExampleOutcomeOf() {
	clock := clockwork.NewRealClock()
	store := newMemory(clock)
	locker := pull.New(store, "orders", pull.Options{Wait: 20 * time.Millisecond})
	ctx := context.Background()

	_, _ = locker.Acquire(ctx)
	_, err := locker.Acquire(ctx)
	fmt.Println(pull.OutcomeOf(err))
	store.fails("add", 1, false)
	_, err = locker.Acquire(ctx)
	fmt.Println(pull.OutcomeOf(err))
	// Output:
	// timed out
	// failed
}
