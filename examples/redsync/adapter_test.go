package redsync_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/jonboulle/clockwork"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// locker is redsync over all independent Redis servers: one, unless the test asks for
// more. All settings but the expiry are redsync's defaults: 32 tries, 50 to 250 ms apart.
type locker struct {
	rs    *redsync.Redsync
	clock clockwork.Clock
	name  string
	ttl   time.Duration
}

func newLock(c *cell.Client) lock.Locker {
	var pools []redsyncredis.Pool
	for _, o := range redisstore.AllOptions(c) {
		rdb := redis.NewClient(o)
		c.Cleanup(func() { _ = rdb.Close() })
		pools = append(pools, goredis.NewPool(rdb))
	}
	return locker{redsync.New(pools...), c.Clock(), c.LockName(), c.TTL()}
}

func (l locker) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.lock(ctx, (*redsync.Mutex).LockContext)
}

func (l locker) TryAcquire(ctx context.Context) (lock.Lease, error) {
	return l.lock(ctx, (*redsync.Mutex).TryLockContext)
}

// lock makes a Mutex for each acquisition: a Mutex keeps the value that identifies the
// acquisition.
func (l locker) lock(ctx context.Context, how func(*redsync.Mutex, context.Context) error) (lock.Lease, error) {
	m := l.rs.NewMutex(l.name, redsync.WithExpiry(lock.TTL(ctx, l.ttl)))
	err := how(m, ctx)
	if taken := new(redsync.ErrTaken); errors.Is(err, redsync.ErrFailed) || errors.As(err, &taken) {
		return nil, fmt.Errorf("%w: %w", lock.ErrNotAcquired, err)
	}
	if err != nil {
		return nil, err
	}
	return lease{m, l.clock}, nil
}

type lease struct {
	m     *redsync.Mutex
	clock clockwork.Clock
}

// Until translates redsync's end of validity to the process's own clock: redsync reads
// package time, which is one clock for all processes of a simulation.
func (l lease) Until() time.Time { return l.clock.Now().Add(time.Until(l.m.Until())) }

func (l lease) Release(ctx context.Context) error { return held(l.m.UnlockContext(ctx)) }

// Extend ignores the TTL: redsync extends by the expiry of the Mutex.
func (l lease) Extend(ctx context.Context, _ time.Duration) error {
	return held(l.m.ExtendContext(ctx))
}

// held translates the answers of Unlock and Extend into errors of package lock. A false
// is certain, unless the request failed or its answer came too late.
func held(ok bool, err error) error {
	if failed := new(redsync.RedisError); ok || errors.As(err, &failed) || errors.Is(err, redsync.ErrExtendFailed) {
		return err
	}
	return fmt.Errorf("%w: %w", lock.ErrNotHeld, err)
}
