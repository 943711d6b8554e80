package goredis8_test

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/go-redis/redis/v8"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// locker is the usual lock over go-redis v8: SET NX PX, and a script that deletes the key if
// the value is its own. An answer that comes after the lease is over grants nothing.
type locker struct {
	c      *cell.Client
	client *redis.Client
}

func newLock(c *cell.Client) lock.Locker {
	client := redis.NewClient(&redis.Options{Addr: redisstore.Options(c).Addr, Dialer: c.Dial, PoolSize: 10})
	c.Cleanup(func() { _ = client.Close() })
	return &locker{c, client}
}

func (l *locker) Acquire(ctx context.Context) (lock.Lease, error) {
	held, clock := &lease{l, rand.Text()}, l.c.Clock()
	for {
		asked := clock.Now()
		took, err := l.client.SetNX(ctx, l.c.LockName(), held.value, l.c.TTL()).Result()
		if err == nil && took && clock.Since(asked) < l.c.TTL() {
			return held, nil
		}
		if err != nil || took {
			// It may have been taken all the same.
			_ = held.Release(context.WithoutCancel(ctx))
			return nil, errors.Join(errLate, err)
		}
		select {
		case <-ctx.Done():
			// go-redis repeats a request whose answer was lost: the key may be this one's.
			_ = held.Release(context.WithoutCancel(ctx))
			return nil, errors.Join(lock.ErrNotAcquired, ctx.Err())
		case <-clock.After(100 * time.Millisecond):
		}
	}
}

// errLate is an answer that did not come, or only after the lease that it grants was over.
var errLate = errors.New("no answer in time")

type lease struct {
	l     *locker
	value string
}

var release = redis.NewScript(`
if redis.call("get", KEYS[1]) == ARGV[1] then
	return redis.call("del", KEYS[1])
end
return 0`)

func (h *lease) Release(ctx context.Context) error {
	deleted, err := release.Run(ctx, h.l.client, []string{h.l.c.LockName()}, h.value).Int()
	if err == nil && deleted == 0 {
		return lock.ErrNotHeld
	}
	return err
}
