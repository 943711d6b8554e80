package redislocks

import (
	"context"
	"crypto/rand"
	"fmt"
	grand "math/rand"
	mrand "math/rand/v2"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
)

// Options are the common options of the locks of this package.
type Options struct {
	// TTL is how long the record lives in the store (default 30 s). Redis
	// counts in milliseconds; less than one is rounded up.
	TTL time.Duration
	// MinSleep and RandomSleep are the pause between two tries: drawn from
	// [MinSleep, MinSleep+RandomSleep). Defaults: 100 ms and 100 ms.
	MinSleep, RandomSleep time.Duration
	// Clock measures the pauses; nil means the real one.
	Clock clockwork.Clock
	// Rand is the source of the random part of the pauses; nil means the global
	// source. The Locker does not synchronize its use.
	Rand *mrand.Rand
}

func (o Options) withDefaults() Options {
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

// try is one attempt to take the lock. It answers a lease, or nil if somebody
// else has it.
type try func(ctx context.Context, value string, ttl time.Duration) (lock.Lease, error)

// spin tries until the lock is held, ctx is done or a try fails. Every
// acquisition has a value of its own, by which the store tells it from all
// others.
func (o Options) spin(ctx context.Context, attempt try) (lock.Lease, error) {
	value := rand.Text()
	for {
		lease, err := attempt(ctx, value, max(lock.TTL(ctx, o.TTL), time.Millisecond))
		if err != nil {
			return nil, fmt.Errorf("redislocks: acquire: %w", err)
		}
		if lease != nil {
			return lease, nil
		}
		pause := o.Clock.NewTimer(o.sleep())
		select {
		case <-pause.Chan():
		case <-ctx.Done():
			pause.Stop()
			// Not ErrNotAcquired: go-redis tries a request again whose answer
			// was lost, and is told that the lock is taken, by ourselves.
			return nil, fmt.Errorf("redislocks: acquire: %w", ctx.Err())
		}
	}
}

func (o Options) sleep() time.Duration {
	draw := grand.Int63n // the global source that a simulation can seed
	if o.Rand != nil {
		draw = o.Rand.Int64N
	}
	return o.MinSleep + time.Duration(draw(int64(max(o.RandomSleep, 1))))
}

type setNXer interface {
	SetNX(ctx context.Context, key string, value any, expiration time.Duration) *redis.BoolCmd
}

// setNX tries SET NX PX; held makes the lease of a success.
func setNX(client setNXer, name string, held func(value string) lock.Lease) try {
	return func(ctx context.Context, value string, ttl time.Duration) (lock.Lease, error) {
		ok, err := client.SetNX(ctx, name, value, ttl).Result()
		if err != nil || !ok {
			return nil, err
		}
		return held(value), nil
	}
}

// release runs the compare-and-delete script: one step, so that nothing can
// come between the comparison and the deletion.
func release(ctx context.Context, client redis.Scripter, name, value string) error {
	n, err := compareAndDelete.Run(ctx, client, []string{name}, value).Int()
	switch {
	case err != nil:
		return fmt.Errorf("redislocks: release: %w", err)
	case n == 0:
		return lock.ErrNotHeld
	}
	return nil
}
