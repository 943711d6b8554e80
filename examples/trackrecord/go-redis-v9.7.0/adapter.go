// Package swapped shows the swapped answers of go-redis v9.7.0 (CVE-2025-29923). The modules of v9.7.0 and v9.7.3 share it.
package swapped

import (
	"context"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// NewLock is SET NX with a release by a script, over a client with its defaults.
func NewLock(c *cell.Client) lock.Locker {
	rdb := redis.NewClient(redisstore.Options(c))
	c.Cleanup(func() { _ = rdb.Close() })
	return punctual{redislocks.NewSetPX(rdb, c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()}), c}
}

// punctual does not take a lease that may have ended before its answer came.
type punctual struct {
	lock.Locker
	c *cell.Client
}

func (l punctual) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		asked := l.c.Clock().Now()
		lease, err := l.Locker.Acquire(ctx)
		if err != nil || l.c.Clock().Since(asked) < l.c.TTL() {
			return lease, err
		}
		_ = lease.Release(context.WithoutCancel(ctx)) // else it ends by itself
	}
}
