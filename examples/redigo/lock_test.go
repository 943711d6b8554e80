package redigo_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// locker is the usual lock over redigo: SET NX PX, and a script that deletes the key if
// the value is its own. An answer that comes after the lease is over grants nothing.
type locker struct {
	pool  *redis.Pool
	clock clockwork.Clock
	key   string
	ttl   time.Duration
}

func newLock(c *cell.Client) lock.Locker {
	address := redisstore.Options(c).Addr
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second) // a dialer of one's own has to see to that
		defer cancel()
		return c.Dial(ctx, network, address)
	}
	pool := &redis.Pool{
		MaxIdle: 3,
		DialContext: func(ctx context.Context) (redis.Conn, error) {
			return redis.DialContext(ctx, "tcp", address, redis.DialContextFunc(dial),
				redis.DialReadTimeout(5*time.Second), redis.DialWriteTimeout(5*time.Second))
		},
	}
	c.Cleanup(func() { _ = pool.Close() })
	return &locker{pool: pool, clock: c.Clock(), key: c.LockName(), ttl: c.TTL()}
}

func (l *locker) Acquire(ctx context.Context) (lock.Lease, error) {
	held := &lease{l, rand.Text()}
	for {
		took, err := l.take(ctx, held.value)
		if took {
			return held, nil
		}
		if err != nil {
			// It may have been taken all the same.
			_ = held.Release(context.WithoutCancel(ctx))
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(lock.ErrNotAcquired, ctx.Err())
		case <-l.clock.After(100 * time.Millisecond):
		}
	}
}

func (l *locker) take(ctx context.Context, value string) (bool, error) {
	conn, err := l.pool.GetContext(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	ttl, asked := lock.TTL(ctx, l.ttl), l.clock.Now()
	_, err = redis.String(redis.DoContext(conn, ctx, "SET", l.key, value, "NX", "PX", ttl.Milliseconds()))
	switch {
	case errors.Is(err, redis.ErrNil):
		return false, nil // somebody has it
	case err != nil:
		return false, err
	case l.clock.Since(asked) >= ttl:
		return false, errLate
	}
	return true, nil
}

// errLate is an answer that came after the lease that it grants was over.
var errLate = errors.New("the answer came too late")

type lease struct {
	l     *locker
	value string
}

var release = redis.NewScript(1, `
if redis.call("get", KEYS[1]) == ARGV[1] then
	return redis.call("del", KEYS[1])
end
return 0`)

// Release repeats a request that failed or whose answer was lost, as go-redis would:
// nothing else removes the key before it expires.
func (h *lease) Release(ctx context.Context) (err error) {
	for range 3 {
		var deleted int
		deleted, err = h.release(ctx)
		if err == nil && deleted == 0 {
			return lock.ErrNotHeld
		}
		if err == nil {
			return nil
		}
	}
	return err
}

func (h *lease) release(ctx context.Context) (deleted int, err error) {
	conn, err := h.l.pool.GetContext(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	return redis.Int(release.DoContext(ctx, conn, h.l.key, h.value))
}
