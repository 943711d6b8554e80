// Package testlocks has locks that misbehave on purpose: canaries that tests must find.
// Users do not see them.
package testlocks

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/scenarios"
)

// All are the locks of this package. Their ids begin with "test-".
func All() []scenarios.Lock {
	return append([]scenarios.Lock{
		{ID: "test-never-released", Summary: "keeps the lock for ever", New: neverReleased},
		{ID: "test-never-woken", Summary: "waits for a message that is never sent", New: neverWoken},
		{ID: "test-global-random", Summary: "draws from math/rand/v2", New: globalRandom},
		{ID: "test-panics", Summary: "panics in a goroutine of its own", Cures: map[scenarios.Cure]string{"panics": "a lock that panics"}, New: panics},
		{ID: "test-stalls", Summary: "holds a mutex across I/O", New: stalls},
		{ID: "test-hostile", Summary: "answers with HTML", New: hostile},
		{ID: "test-quorum", Summary: "has the lock if it is on most of three independent nodes", Servers: 3, New: newQuorum},
		{ID: "test-quorum-retries", Summary: "asks five independent nodes at once, and again those that fail", Servers: 5, New: newRetryingQuorum},
		{ID: "test-leased", Summary: "claims an end of its lease, and tells of it", New: leased},
		{ID: "test-watchdog-silent", Summary: "is renewed, and does not report when that fails", Renews: true, New: silentWatchdog},
		{ID: "test-watchdog-in-step", Summary: "tries and is renewed in time with one timer of its process, and does not report when that fails", Renews: true, New: inStep},
		{ID: "test-immortal", Summary: "takes the key without an expiry", New: immortal},
		{ID: "test-timestamped", Summary: "has the end of the lease in its value, by the clock of its holder", New: timestamped},
	}, slices.Concat(planted, leases, untrue, hashes, families, owners, timestamps, wired, counted, mixed, subscribers, leaky, deadly)...)
}

// locker is a lock made of functions.
type locker struct {
	acquire func(ctx context.Context) error
	release func(ctx context.Context) error
}

func (l locker) Acquire(ctx context.Context) (lock.Lease, error) {
	if err := l.acquire(ctx); err != nil {
		return nil, err
	}
	return lease(l), nil
}

type lease locker

func (l lease) Release(ctx context.Context) error { return l.release(ctx) }

func connect(c *scenarios.Client) *redis.Client {
	client := redis.NewClient(c.Redis())
	c.Cleanup(func() { _ = client.Close() })
	return client
}

// spin takes the key with the given expiry, sleeping in between as told.
func spin(ctx context.Context, c *scenarios.Client, client *redis.Client, ttl time.Duration, sleep func() time.Duration) error {
	for ctx.Err() == nil {
		ok, err := client.SetNX(ctx, c.LockName(), c.Name(), ttl).Result()
		if err != nil || ok {
			return err
		}
		c.Clock().Sleep(sleep())
	}
	return ctx.Err()
}

func steady() time.Duration { return 100 * time.Millisecond }

// neverReleased breaks progress: its key has no expiry, and its release does
// nothing.
func neverReleased(c *scenarios.Client) lock.Locker {
	client := connect(c)
	return locker{
		acquire: func(ctx context.Context) error { return spin(ctx, c, client, 0, steady) },
		release: func(context.Context) error { return nil },
	}
}

// neverWoken breaks progress in silence: who finds the lock taken waits to be
// woken, and nobody wakes him.
func neverWoken(c *scenarios.Client) lock.Locker {
	client := connect(c)
	return locker{
		acquire: func(ctx context.Context) error {
			ok, err := client.SetNX(ctx, c.LockName(), c.Name(), 0).Result()
			if err == nil && !ok {
				<-ctx.Done()
				err = ctx.Err()
			}
			return err
		},
		release: func(ctx context.Context) error { return client.Del(ctx, c.LockName()).Err() },
	}
}

// globalRandom breaks determinism: its sleeps come from a source that cannot
// be seeded.
func globalRandom(c *scenarios.Client) lock.Locker {
	client := connect(c)
	return locker{
		acquire: func(ctx context.Context) error {
			return spin(ctx, c, client, c.TTL(), func() time.Duration {
				return 50*time.Millisecond + rand.N(50*time.Millisecond)
			})
		},
		release: func(ctx context.Context) error { return client.Del(ctx, c.LockName()).Err() },
	}
}

// panics takes its process down: nobody can recover what happens in a
// goroutine of the lock's own.
func panics(c *scenarios.Client) lock.Locker {
	client := connect(c)
	return locker{
		acquire: func(ctx context.Context) error { return spin(ctx, c, client, c.TTL(), steady) },
		release: func(ctx context.Context) error {
			done := make(chan struct{})
			go func() {
				defer close(done)
				panic("testlocks: a panic on purpose")
			}()
			<-done
			return nil
		},
	}
}

// stalls holds a mutex while it waits for an answer, and waits for the mutex
// elsewhere: virtual time cannot pass any more.
func stalls(c *scenarios.Client) lock.Locker {
	client := connect(c)
	var mu sync.Mutex
	guarded := func(ctx context.Context) error {
		mu.Lock()
		defer mu.Unlock()
		return spin(ctx, c, client, c.TTL(), steady)
	}
	return locker{
		acquire: func(ctx context.Context) error {
			watch := make(chan error, 1)
			go func() { watch <- guarded(ctx) }()
			c.Clock().Sleep(time.Millisecond / 2) // it has the mutex and waits for Redis
			mu.Lock()
			mu.Unlock() //nolint:staticcheck // the section is empty: waiting for it is the point
			return <-watch
		},
		release: func(ctx context.Context) error { return client.Del(ctx, c.LockName()).Err() },
	}
}

// hostileText is text that a careless viewer would execute.
const hostileText = `</script><script>alert(1)</script><img src=x onerror=alert(1)>`

// hostile puts such text wherever a lock can put text.
func hostile(c *scenarios.Client) lock.Locker {
	client := connect(c)
	return locker{
		acquire: func(ctx context.Context) error {
			for ctx.Err() == nil {
				ok, err := client.SetNX(ctx, c.LockName(), hostileText, c.TTL()).Result()
				if err != nil || ok {
					return err
				}
				c.Clock().Sleep(steady())
			}
			return ctx.Err()
		},
		release: func(context.Context) error { return hostileError{} },
	}
}

type hostileError struct{}

func (hostileError) Error() string { return hostileText }
