// Package adapter has go-redsync/redsync as a lock. The modules of v4.0.3 and v4.0.4 share it.
package adapter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// locker is redsync over one Redis. All settings but the expiry are redsync's defaults:
// 32 tries, half a second apart.
type locker struct {
	rs   *redsync.Redsync
	name string
	ttl  time.Duration
}

// NewLock returns the lock of a client.
func NewLock(c *cell.Client) lock.Locker {
	rdb := redis.NewClient(redisstore.Options(c))
	c.Cleanup(func() { _ = rdb.Close() })
	return locker{redsync.New(pool{rdb}), c.LockName(), c.TTL()}
}

func (l locker) Acquire(ctx context.Context) (lock.Lease, error) {
	m := l.rs.NewMutex(l.name, redsync.WithExpiry(lock.TTL(ctx, l.ttl)))
	err := m.LockContext(ctx)
	if errors.Is(err, redsync.ErrFailed) {
		return nil, fmt.Errorf("%w: %w", lock.ErrNotAcquired, err)
	}
	if err != nil {
		return nil, err
	}
	return lease{m}, nil
}

type lease struct{ m *redsync.Mutex }

func (l lease) Release(ctx context.Context) error { return held(l.m.UnlockContext(ctx)) }

// Extend ignores the TTL: redsync extends by the expiry of the Mutex.
func (l lease) Extend(ctx context.Context, _ time.Duration) error {
	return held(l.m.ExtendContext(ctx))
}

// held translates the answers of Unlock and Extend into errors of package lock.
func held(ok bool, err error) error {
	if !ok && err == nil {
		return lock.ErrNotHeld
	}
	return err
}
