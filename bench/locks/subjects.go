package main

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/pull"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// The settings of all subjects.
const (
	ttl         = 10 * time.Second
	minSleep    = 10 * time.Millisecond
	randomSleep = 10 * time.Millisecond
)

// pause is the time between two tries.
func pause() time.Duration { return minSleep + rand.N(randomSleep) }

// A subject is a lock that is measured.
type subject struct {
	name string
	// foreign is set for the libraries of others.
	foreign bool
	// make returns the lock of a name for the process that has the client.
	make func(client *redis.Client, name string) (acquire locker, end func())
}

// A locker acquires, and returns how to release.
type (
	locker  func(context.Context) (release, error)
	release func(context.Context) error
)

// subjects are the locks, in the order of the tables.
func subjects() []subject {
	options := redislocks.Options{TTL: ttl, MinSleep: minSleep, RandomSleep: randomSleep}
	return []subject{
		{name: "redsync v4.18.1", foreign: true, make: makeRedsync},
		{name: "redislock v0.10.0", foreign: true, make: makeRedislock},
		ours("setpx", func(c *redis.Client, name string) lock.Locker { return redislocks.NewSetPX(c, name, options) }),
		ours("setpx-fenced", func(c *redis.Client, name string) lock.Locker { return redislocks.NewSetPXFenced(c, name, options) }),
		ours("pull", func(c *redis.Client, name string) lock.Locker { return redislocks.NewPull(c, name, pullOptions()) }),
		ours("pull, hotspot", func(c *redis.Client, name string) lock.Locker {
			return redislocks.NewPull(c, name, pullOptions(pull.NewHotspots(name)))
		}),
		ours("reentrant", func(c *redis.Client, name string) lock.Locker { return redislocks.NewReentrant(c, name, options) }),
		ours("watchdog", func(c *redis.Client, name string) lock.Locker {
			return redislocks.NewWatchdog(c, name, redislocks.WatchdogOptions{Options: options})
		}),
		ours("fair", func(c *redis.Client, name string) lock.Locker {
			return redislocks.NewFair(c, name, redislocks.FairOptions{Options: options})
		}),
		ours("readwrite, writers", func(c *redis.Client, name string) lock.Locker {
			l := redislocks.NewReadWrite(c, name, options)
			return closing{l.Writer(), l}
		}),
		ours("semaphore, one permit", func(c *redis.Client, name string) lock.Locker {
			return redislocks.NewSemaphore(c, name, 1, options)
		}),
		ours("permit-semaphore, one permit", func(c *redis.Client, name string) lock.Locker {
			return redislocks.NewPermitSemaphore(c, name, 1, options)
		}),
	}
}

func pullOptions(handlers ...pull.Handler) pull.Options {
	return pull.Options{TTL: ttl, MinSleep: minSleep, RandomSleep: randomSleep, Handlers: handlers}
}

// closing is a lock whose resources belong to another value, which Close closes.
type closing struct {
	lock.Locker
	io.Closer
}

// ours is a lock of Lockpick.
func ours(name string, build func(*redis.Client, string) lock.Locker) subject {
	return subject{name: name, make: func(c *redis.Client, name string) (locker, func()) {
		l := build(c, name)
		end := func() {}
		if open, ok := l.(io.Closer); ok {
			end = func() { _ = open.Close() }
		}
		return func(ctx context.Context) (release, error) {
			lease, err := l.Acquire(ctx)
			if err != nil {
				return nil, err
			}
			return lease.Release, nil
		}, end
	}}
}

// makeRedsync uses a mutex for each acquisition, as redsync's documentation does.
func makeRedsync(c *redis.Client, name string) (locker, func()) {
	rs := redsync.New(goredis.NewPool(c))
	return func(ctx context.Context) (release, error) {
		m := rs.NewMutex(name, redsync.WithExpiry(ttl), redsync.WithTries(1<<30),
			redsync.WithRetryDelayFunc(func(int) time.Duration { return pause() }))
		if err := m.LockContext(ctx); err != nil {
			return nil, err
		}
		return func(ctx context.Context) error {
			ok, err := m.UnlockContext(ctx)
			if err == nil && !ok {
				err = errors.New("redsync: not unlocked")
			}
			return err
		}, nil
	}, func() {}
}

// again is redislock's strategy with our pauses.
type again struct{}

func (again) NextBackoff() time.Duration { return pause() }

func makeRedislock(c *redis.Client, name string) (locker, func()) {
	l := redislock.New(c)
	return func(ctx context.Context) (release, error) {
		lease, err := l.Obtain(ctx, name, ttl, &redislock.Options{RetryStrategy: again{}})
		if err != nil {
			return nil, err
		}
		return lease.Release, nil
	}, func() {}
}
