// Package adapter has a sound lock over a failover client of redis/go-redis. The modules of v9.7.3 and v9.8.0 share it.
package adapter

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// NewLock is a sound lock over a client of a program that waits two seconds for a request, which is less than
// the five that go-redis waits for a connection. The pool has the size that is go-redis's default on a machine
// with eight processors: when as many dials have failed, the pool dials once without a deadline.
func NewLock(c *cell.Client) lock.Locker {
	rdb := redisstore.FailoverClient(c, func(o *redis.FailoverOptions) { o.PoolSize = 80 })
	rdb.AddHook(deadline(2 * time.Second))
	return redislocks.NewSetPX(rdb, c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
}

// deadline gives each command that long.
type deadline time.Duration

func (d deadline) DialHook(next redis.DialHook) redis.DialHook { return next }

func (d deadline) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		ctx, cancel := context.WithTimeout(ctx, time.Duration(d))
		defer cancel()
		return next(ctx, cmd)
	}
}

func (d deadline) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
