package lock_test

import (
	"context"
	"fmt"

	"github.com/lockpick-dev/lockpick/lock"
)

// local adapts a lock of one process: its value is in the channel while nobody holds it.
type local chan struct{}

func (l local) Acquire(ctx context.Context) (lock.Lease, error) {
	select {
	case <-l:
		return &lease{of: l}, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", lock.ErrNotAcquired, ctx.Err())
	}
}

type lease struct {
	of       local
	released bool
}

func (l *lease) Release(context.Context) error {
	if l.released {
		return lock.ErrNotHeld
	}
	l.released = true
	l.of <- struct{}{}
	return nil
}

// A lock of your own needs two methods.
func Example() {
	locker := make(local, 1)
	locker <- struct{}{} // it is free

	ctx := context.Background()
	held, err := lock.Locker(locker).Acquire(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("held")
	fmt.Println("release:", held.Release(context.WithoutCancel(ctx)))
	fmt.Println("again:", held.Release(ctx))
	// Output:
	// held
	// release: <nil>
	// again: lock: not held
}
