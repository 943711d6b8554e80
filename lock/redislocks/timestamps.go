package redislocks

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
)

// The locks whose value is the time at which they end keep it as milliseconds of
// Unix time, by the holder's clock. The key itself has no expiry: everybody decides
// by his own clock whether it has come.

type getter interface {
	Get(ctx context.Context, key string) *redis.StringCmd
}

// stamp is the value of a lease that is taken now.
func (o Options) stamp(ttl time.Duration) string {
	return strconv.FormatInt(o.Clock.Now().Add(ttl).UnixMilli(), 10)
}

// found asks for the value of a key; ok is false if there is none.
func found(ctx context.Context, client getter, name string) (value string, ok bool, err error) {
	value, err = client.Get(ctx, name).Result()
	if errors.Is(err, redis.Nil) {
		return "", false, nil
	}
	return value, err == nil, err
}

// passed reports whether a time of the store has passed by this clock.
func (o Options) passed(stamp string) (bool, error) {
	at, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return false, fmt.Errorf("the value of the key is %q, want milliseconds of Unix time; is the key something else's?", stamp)
	}
	return at < o.Clock.Now().UnixMilli(), nil
}

// stampLease is released if the key still has its time.
type stampLease struct {
	client interface {
		getter
		deleter
	}
	name, stamp string
}

// Release deletes the key if a GET just before showed this lease's time.
func (l *stampLease) Release(ctx context.Context) error {
	value, ok, err := found(ctx, l.client, l.name)
	switch {
	case err != nil:
		return fmt.Errorf("redislocks: release: %w", err)
	case !ok || value != l.stamp:
		return lock.ErrNotHeld
	}
	if err := l.client.Del(ctx, l.name).Err(); err != nil {
		return fmt.Errorf("redislocks: release: %w", err)
	}
	return nil
}
