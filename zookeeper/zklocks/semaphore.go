package zklocks

import (
	"context"
	"fmt"
	"strconv"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/zookeeper/zklocks/internal/recipe"
)

// Semaphore is a number of permits. Each acquisition has a node, whose name has the
// number of permits that it wants; it holds when it and all before it want no more than
// there are. Nobody is overtaken: an acquisition of many permits keeps later ones
// waiting until it has them. The number of permits is a setting of each locker; the
// store does not have it.
//
// It guarantees that no more permits are taken than there are, under the conditions of
// [Zookeeper], and if all lockers have the same number. What breaks it is what breaks
// Zookeeper. Any holder's release may let the first waiter in, and so all waiters watch
// the directory: each change of it wakes them all, as with Herd in package flawed.
//
// Requests: acquire 3 without contention; a wait costs a listing of the directory with a
// watch, and one more for each change; release 1.
type Semaphore struct {
	queue *recipe.Queue
	total int
}

// NewSemaphore returns a semaphore with the given number of permits whose nodes are in
// the given directory. It is safe for concurrent use.
func NewSemaphore(session *Session, dir string, total int, options Options) *Semaphore {
	return &Semaphore{options.queue(session, dir, recipe.Permits(total)), total}
}

// Acquire waits for one permit.
func (s *Semaphore) Acquire(ctx context.Context) (lock.Lease, error) { return s.AcquireN(ctx, 1) }

// AcquireN waits until n permits are free, ctx is done, or the connection is closed. Its
// errors are those of [Zookeeper].
func (s *Semaphore) AcquireN(ctx context.Context, n int) (lock.Lease, error) {
	if n < 1 || n > s.total {
		return nil, fmt.Errorf("zklocks: acquire: %d permits of %d: %w", n, s.total, lock.ErrNotAcquired)
	}
	held, err := s.queue.Acquire(ctx, recipe.PermitKind+strconv.Itoa(n)+"-")
	if err != nil {
		return nil, err
	}
	return recipe.TimedLease{Lease: held}, nil
}

// Available returns the number of permits that were free a moment ago, by the server that
// the client is connected to.
func (s *Semaphore) Available(ctx context.Context) (int, error) {
	free, err := s.queue.Available(ctx, s.total)
	if err != nil {
		return 0, fmt.Errorf("zklocks: available: %w", err)
	}
	return free, nil
}
