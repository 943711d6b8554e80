// Package adapter has bsm/redislock as a lock. The modules of v0.9.3 and v0.9.4 share it.
package adapter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// locker is bsm/redislock as a program would use it. It tries again every tenth of a
// second, until Obtain gives up.
type locker struct {
	client *redislock.Client
	key    string
	ttl    time.Duration
}

// NewLock returns the lock of a client, over one Redis.
func NewLock(c *cell.Client) lock.Locker {
	rdb := redis.NewClient(redisstore.Options(c))
	c.Cleanup(func() { _ = rdb.Close() })
	return locker{redislock.New(rdb), c.LockName(), c.TTL()}
}

func (l locker) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.obtain(ctx, &redislock.Options{RetryStrategy: redislock.LinearBackoff(100 * time.Millisecond)})
}

func (l locker) TryAcquire(ctx context.Context) (lock.Lease, error) { return l.obtain(ctx, nil) }

func (l locker) obtain(ctx context.Context, o *redislock.Options) (lock.Lease, error) {
	held, err := l.client.Obtain(ctx, l.key, lock.TTL(ctx, l.ttl), o)
	if err != nil {
		return nil, known(err)
	}
	return lease{held}, nil
}

// lease has no Until: redislock knows how long a lock is valid only by asking Redis.
type lease struct{ held *redislock.Lock }

func (l lease) Release(ctx context.Context) error { return known(l.held.Release(ctx)) }

func (l lease) Extend(ctx context.Context, ttl time.Duration) error {
	err := l.held.Refresh(ctx, ttl, nil)
	if errors.Is(err, redislock.ErrNotObtained) { // what Refresh says of a lock that is lost
		return fmt.Errorf("%w: %w", lock.ErrNotHeld, err)
	}
	return err
}

// known translates an error of redislock into one of package lock.
func known(err error) error {
	switch {
	case errors.Is(err, redislock.ErrNotObtained):
		return fmt.Errorf("%w: %w", lock.ErrNotAcquired, err)
	case errors.Is(err, redislock.ErrLockNotHeld):
		return fmt.Errorf("%w: %w", lock.ErrNotHeld, err)
	}
	return err
}
