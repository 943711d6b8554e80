// Package testlocks has locks that misbehave on purpose: canaries that tests must find.
// Users do not see them.
package testlocks

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// All returns the locks of this package. Their ids begin with "test-".
func All() []cell.Lock {
	list := append([]cell.Lock{
		{ID: "test-never-released", Summary: "keeps the lock for ever", Subject: cell.Mutex(neverReleased)},
		{ID: "test-never-woken", Summary: "waits for a message that is never sent", Subject: cell.Mutex(neverWoken)},
		{ID: "test-own-random", Summary: "draws from a source that its process has seeded", Subject: cell.Mutex(ownRandom)},
		{ID: "test-panics", Summary: "panics in a goroutine of its own", Cures: map[cell.Cure]string{"panics": "a lock that panics"}, Subject: cell.Mutex(panics)},
		{ID: "test-refused", Summary: "asks for what the simulated Redis does not support, and takes no notice of the answer", Subject: cell.Mutex(refused)},
		{ID: "test-stalls", Summary: "holds a mutex across I/O", Subject: cell.Mutex(stalls)},
		{ID: "test-hostile", Summary: "answers with HTML", Subject: cell.Mutex(hostile)},
		{ID: "test-quorum", Summary: "has the lock if it is on most of three independent nodes", Needs: cell.Needs{Servers: 3}, Subject: cell.Mutex(newQuorum)},
		{ID: "test-quorum-retries", Summary: "asks five independent nodes at once, and again those that fail", Needs: cell.Needs{Servers: 5}, Subject: cell.Mutex(newRetryingQuorum)},
		{ID: "test-leased", Summary: "claims an end of its lease, and has an Until", Subject: cell.Mutex(leased)},
		{ID: "test-watchdog-silent", Summary: "is renewed, and does not report when that fails", Renews: true, Subject: cell.Mutex(silentWatchdog)},
		{ID: "test-watchdog-in-step", Summary: "tries and is renewed in time with one timer of its process, and does not report when that fails", Renews: true, Subject: cell.Mutex(inStep)},
		{ID: "test-immortal", Summary: "takes the key without an expiry", Subject: cell.Mutex(immortal)},
		{ID: "test-timestamped", Summary: "has the end of the lease in its value, by the clock of its holder", Subject: cell.Mutex(timestamped)},
	}, slices.Concat(planted, leases, untrue, hashes, families, owners, timestamps, wired, counted, mixed, subscribers, leaky, deadly, sized, careless)...)
	for i := range list {
		list[i].Store = redisstore.Store
	}
	return list
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

func connect(c *cell.Client) *redis.Client {
	client := redis.NewClient(redisstore.Options(c))
	c.Cleanup(func() { _ = client.Close() })
	return client
}

// spin takes the key with the given expiry, sleeping in between as long as sleep returns.
func spin(ctx context.Context, c *cell.Client, client *redis.Client, ttl time.Duration, sleep func() time.Duration) error {
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
func neverReleased(c *cell.Client) lock.Locker {
	client := connect(c)
	return locker{
		acquire: func(ctx context.Context) error { return spin(ctx, c, client, 0, steady) },
		release: func(context.Context) error { return nil },
	}
}

// neverWoken breaks progress silently: a client that finds the lock taken waits for a wake-up that is never sent.
func neverWoken(c *cell.Client) lock.Locker {
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

// drawn counts the draws of the process, in all runs.
var drawn atomic.Uint64

// ownRandom breaks determinism: its sleeps depend on the process and on its earlier runs.
func ownRandom(c *cell.Client) lock.Locker {
	client := connect(c)
	return locker{
		acquire: func(ctx context.Context) error {
			return spin(ctx, c, client, c.TTL(), func() time.Duration {
				return 50*time.Millisecond + time.Duration(rand.New(rand.NewPCG(uint64(os.Getpid()), drawn.Add(1))).Int64N(int64(50*time.Millisecond)))
			})
		},
		release: func(ctx context.Context) error { return client.Del(ctx, c.LockName()).Err() },
	}
}

// panics ends its process: a panic in a goroutine of the lock's own cannot be recovered.
func panics(c *cell.Client) lock.Locker {
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

// refused sends a request that the simulated server does not support, and ignores the answer.
func refused(c *cell.Client) lock.Locker {
	client := connect(c)
	return locker{
		acquire: func(ctx context.Context) error { return spin(ctx, c, client, c.TTL(), steady) },
		release: func(ctx context.Context) error {
			client.Do(ctx, "OBJECT", "FREQ", c.LockName())
			return client.Del(ctx, c.LockName()).Err()
		},
	}
}

// stalls holds a mutex while it waits for an answer, and waits for the mutex elsewhere: virtual time can no longer pass.
func stalls(c *cell.Client) lock.Locker {
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

// hostile puts such text wherever a lock can.
func hostile(c *cell.Client) lock.Locker {
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
