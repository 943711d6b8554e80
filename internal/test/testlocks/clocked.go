package testlocks

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
)

// timestamped returns the lock that Redis's documentation described before SET had NX and PX together: the value is the
// end of the lock by the clock of its holder, and a client that finds it passed, by its own clock, takes over with GETSET.
// It is as good as the clocks agree.
func timestamped(c *cell.Client) lock.Locker {
	l := &stamps{client: c, redis: connect(c)}
	return locker{acquire: l.acquire, release: l.release}
}

type stamps struct {
	client *cell.Client
	redis  *redis.Client
	until  string // the end of the present hold, as it is in the store
}

func (l *stamps) now() int64 { return l.client.Clock().Now().UnixNano() }

func (l *stamps) acquire(ctx context.Context) error {
	for ctx.Err() == nil {
		taken, err := l.try(ctx)
		if err != nil || taken {
			return err
		}
		l.client.Clock().Sleep(steady())
	}
	return ctx.Err()
}

func (l *stamps) try(ctx context.Context) (bool, error) {
	l.until = strconv.FormatInt(l.now()+int64(l.client.TTL()), 10)
	ok, err := l.redis.SetNX(ctx, l.client.LockName(), l.until, 0).Result()
	if err != nil || ok {
		return ok, err
	}
	found, err := l.redis.Get(ctx, l.client.LockName()).Result()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	if err != nil || l.later(found) {
		return false, err
	}
	before, err := l.redis.GetSet(ctx, l.client.LockName(), l.until).Result()
	if errors.Is(err, redis.Nil) {
		return true, nil
	}
	return err == nil && !l.later(before), err
}

// later reports whether a time in the store is in the future.
func (l *stamps) later(at string) bool {
	n, err := strconv.ParseInt(at, 10, 64)
	return err == nil && n > l.now()
}

// release removes the lock unless it is over: then another client may have it.
func (l *stamps) release(ctx context.Context) error {
	const margin = int64(100 * time.Millisecond)
	if n, _ := strconv.ParseInt(l.until, 10, 64); n < l.now()+margin {
		return lock.ErrNotHeld
	}
	return l.redis.Del(ctx, l.client.LockName()).Err()
}

// immortal takes the key without an expiry and gives it back: it is right only if every holder lives on and every answer
// arrives.
func immortal(c *cell.Client) lock.Locker {
	client := connect(c)
	return locker{
		acquire: func(ctx context.Context) error { return spin(ctx, c, client, 0, steady) },
		release: func(ctx context.Context) error { return client.Del(ctx, c.LockName()).Err() },
	}
}
