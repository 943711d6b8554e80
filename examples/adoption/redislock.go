package main

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

var redislockLibrary = library{
	module: "github.com/bsm/redislock",
	lock: cell.Lock{ID: "redislock", Summary: "bsm/redislock, which tries again every tenth of a second", Flawed: true,
		Store: redisstore.Store, Subject: cell.Mutex(newRedislock)},
	expected: violates("redislock", "Neither Obtain nor Refresh looks at the clock when the answer has come: they give the client a context that ends with the lease, which go-redis ignores without ContextTimeoutEnabled. A cancelled Obtain does not clean up.",
		"truthful-acquire", "truthful-extend", "mutual-exclusion", "linearizable", "no-lost-update", "no-orphan"),
}

type redislocker struct {
	client *redislock.Client
	c      *cell.Client
}

func newRedislock(c *cell.Client) lock.Locker {
	rdb := redis.NewClient(redisstore.Options(c))
	c.Cleanup(func() { _ = rdb.Close() })
	return redislocker{redislock.New(rdb), c}
}

func (l redislocker) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.obtain(ctx, &redislock.Options{RetryStrategy: redislock.LinearBackoff(100 * time.Millisecond)})
}

func (l redislocker) TryAcquire(ctx context.Context) (lock.Lease, error) { return l.obtain(ctx, nil) }

func (l redislocker) obtain(ctx context.Context, o *redislock.Options) (lock.Lease, error) {
	held, err := l.client.Obtain(ctx, l.c.LockName(), lock.TTL(ctx, l.c.TTL()), o)
	if errors.Is(err, redislock.ErrNotObtained) {
		err = errors.Join(lock.ErrNotAcquired, err)
	}
	return redislocked{held}, err
}

type redislocked struct{ held *redislock.Lock }

func (l redislocked) Release(ctx context.Context) error { return lost(l.held.Release(ctx)) }

func (l redislocked) Extend(ctx context.Context, ttl time.Duration) error {
	return lost(l.held.Refresh(ctx, ttl, nil))
}

// lost is the error of a lock that is held no more.
func lost(err error) error {
	if errors.Is(err, redislock.ErrNotObtained) || errors.Is(err, redislock.ErrLockNotHeld) {
		return errors.Join(lock.ErrNotHeld, err)
	}
	return err
}
