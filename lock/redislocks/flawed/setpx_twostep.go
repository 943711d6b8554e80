package flawed

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/polling"
)

// SetPXTwoStep is [redislocks.SetPX] with a release in two steps: GET the key, compare,
// DEL it.
//
// Articles that build a lock step by step have it as the version before the
// script. Guarantee: that of SetPX for holds that are shorter than the TTL.
//
// What breaks it: between the GET that still shows the caller's value and the DEL,
// the lease may run out and another client may take the lock; the DEL then removes
// that live lock, and a third client gets it (scenarios two-step-release,
// late-request and, because go-redis sends the DEL again, lost-reply; property
// owner-only-release). And all that breaks SetPX.
//
// Commands: acquire 1 a try, release 2. Defaults: those of SetPX.
type SetPXTwoStep struct {
	client  twoStepClient
	name    string
	options polling.Options
}

type twoStepClient interface {
	polling.SetNXer
	Get(ctx context.Context, key string) *redis.StringCmd
	Del(ctx context.Context, keys ...string) *redis.IntCmd
}

// NewSetPXTwoStep returns a locker for the lock of the given name, which is
// the key. It is safe for concurrent use if options.Rand is nil.
func NewSetPXTwoStep(client twoStepClient, name string, options redislocks.Options) *SetPXTwoStep {
	return &SetPXTwoStep{client: client, name: name, options: withDefaults(options)}
}

// Acquire tries until the lock is held or ctx is done. Any error leaves open
// whether the lock was taken.
func (l *SetPXTwoStep) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.options.Spin(ctx, polling.SetNX(l.client, l.name, func(value string) lock.Lease {
		return &twoStepLease{lock: l, value: value}
	}))
}

type twoStepLease struct {
	lock  *SetPXTwoStep
	value string
}

// Release deletes the key if a GET just before showed this acquisition's value.
func (l *twoStepLease) Release(ctx context.Context) error {
	value, err := l.lock.client.Get(ctx, l.lock.name).Result()
	switch {
	case errors.Is(err, redis.Nil):
		return lock.ErrNotHeld
	case err != nil:
		return fmt.Errorf("redislocks: release: %w", err)
	case value != l.value:
		return lock.ErrNotHeld
	}
	if err := l.lock.client.Del(ctx, l.lock.name).Err(); err != nil {
		return fmt.Errorf("redislocks: release: %w", err)
	}
	return nil
}
