// Package polling is shared by the locks over Redis that try again after a pause, the sound ones
// and the flawed ones.
package polling

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	grand "math/rand"
	mrand "math/rand/v2"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
)

// Options are the options of package redislocks, which documents them.
type Options struct {
	TTL                   time.Duration
	MinSleep, RandomSleep time.Duration
	Clock                 clockwork.Clock
	Rand                  *mrand.Rand
}

// WithDefaults fills in the defaults of options that are not set.
func (o Options) WithDefaults() Options {
	if o.TTL == 0 {
		o.TTL = 30 * time.Second
	}
	o.TTL = max(o.TTL, time.Millisecond)
	if o.MinSleep == 0 {
		o.MinSleep = 100 * time.Millisecond
	}
	if o.RandomSleep == 0 {
		o.RandomSleep = 100 * time.Millisecond
	}
	if o.Clock == nil {
		o.Clock = clockwork.NewRealClock()
	}
	return o
}

// Try is one attempt to take the lock. It returns a lease, or nil if another holds the
// lock.
type Try func(ctx context.Context, value string, ttl time.Duration) (lock.Lease, error)

// Spin tries until the lock is held, ctx is done or a try fails. Every
// acquisition has a value of its own, by which the store distinguishes it from all
// others.
func (o Options) Spin(ctx context.Context, attempt Try) (lock.Lease, error) {
	value := rand.Text()
	for {
		lease, err := attempt(ctx, value, max(lock.TTL(ctx, o.TTL), time.Millisecond))
		if err != nil {
			return nil, fmt.Errorf("redislocks: acquire: %w", err)
		}
		if lease != nil {
			return lease, nil
		}
		if err := o.Rest(ctx); err != nil {
			// Not ErrNotAcquired: go-redis retries a request whose answer was lost, and
			// may find the lock taken by ourselves.
			return nil, fmt.Errorf("redislocks: acquire: %w", err)
		}
	}
}

// Rest makes the pause between two tries. It returns early, with the context's error, if ctx
// is done.
func (o Options) Rest(ctx context.Context) error {
	pause := o.Clock.NewTimer(o.sleep())
	select {
	case <-pause.Chan():
		return nil
	case <-ctx.Done():
		pause.Stop()
		return ctx.Err()
	}
}

func (o Options) sleep() time.Duration {
	draw := grand.Int63n // the global source that a simulation can seed
	if o.Rand != nil {
		draw = o.Rand.Int64N
	}
	return o.MinSleep + time.Duration(draw(int64(max(o.RandomSleep, 1))))
}

// The requests that the locks need of a client.
type (
	// SetNXer sends SET NX, or SETNX without an expiration.
	SetNXer interface {
		SetNX(ctx context.Context, key string, value any, expiration time.Duration) *redis.BoolCmd
	}
	// Getter sends GET.
	Getter interface {
		Get(ctx context.Context, key string) *redis.StringCmd
	}
	// SetPXClient is for locks that are released by a script.
	SetPXClient interface {
		redis.Scripter
		SetNXer
	}
)

// SetNX tries SET NX PX; held makes the lease of a success.
func SetNX(client SetNXer, name string, held func(value string) lock.Lease) Try {
	return func(ctx context.Context, value string, ttl time.Duration) (lock.Lease, error) {
		ok, err := client.SetNX(ctx, name, value, ttl).Result()
		if err != nil || !ok {
			return nil, err
		}
		return held(value), nil
	}
}

// Get reads the value of a key; ok is false if there is none.
func Get(ctx context.Context, client Getter, name string) (value string, ok bool, err error) {
	value, err = client.Get(ctx, name).Result()
	if errors.Is(err, redis.Nil) {
		return "", false, nil
	}
	return value, err == nil, err
}
