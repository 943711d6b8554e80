package testlocks

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// leased returns a lock that knows how long its lease is valid, counted from before
// the request was sent, and has an Until.
func leased(c *cell.Client) lock.Locker {
	return timed{redislocks.NewSetPX(connect(c), c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()}), c}
}

type timed struct {
	lock.Locker
	client *cell.Client
}

func (l timed) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		// One try at a time, so that the validity of the lease is counted
		// from before the request that got it.
		start := l.client.Clock().Now()
		try, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		lease, err := l.Locker.Acquire(try)
		cancel()
		if err == nil {
			return l.lease(lease, start.Add(l.client.TTL()-10*time.Millisecond)), nil
		}
		if ctx.Err() != nil || !gaveUp(err) {
			return nil, err
		}
	}
}

func gaveUp(err error) bool { return errors.Is(err, context.DeadlineExceeded) }

func (l timed) lease(inner lock.Lease, until time.Time) *timedLease {
	t := &timedLease{Lease: inner, until: until, lost: make(chan struct{})}
	l.client.Clock().AfterFunc(l.client.Clock().Until(until), t.lose)
	return t
}

type timedLease struct {
	lock.Lease
	until time.Time
	lost  chan struct{}
	once  sync.Once
}

// Release says that the lease is lost, too, when it gives it up.
func (t *timedLease) Release(ctx context.Context) error {
	t.lose()
	return t.Lease.Release(ctx)
}

func (t *timedLease) lose() { t.once.Do(func() { close(t.lost) }) }

func (t *timedLease) Until() time.Time      { return t.until }
func (t *timedLease) Lost() <-chan struct{} { return t.lost }
