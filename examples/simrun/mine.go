package main

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// locker is the lock of many first tries.
type locker struct {
	rdb *redis.Client
	key string
	ttl time.Duration
}

func newLock(c *cell.Client) lock.Locker {
	rdb := redis.NewClient(redisstore.Options(c))
	c.Cleanup(func() { _ = rdb.Close() })
	return locker{rdb, c.LockName(), c.TTL()}
}

func (l locker) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		ok, err := l.rdb.SetNX(ctx, l.key, "locked", l.ttl).Result()
		if err != nil {
			return nil, err
		}
		if ok {
			return l, nil
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (l locker) Release(ctx context.Context) error { return l.rdb.Del(ctx, l.key).Err() }
