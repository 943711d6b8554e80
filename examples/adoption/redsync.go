package main

import (
	"context"
	"errors"
	"time"

	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

var redsyncLibrary = library{
	module: "github.com/go-redsync/redsync/v4",
	lock: cell.Lock{ID: "redsync", Summary: "go-redsync/redsync over one server, with its defaults", Flawed: true,
		Store: redisstore.Store, Subject: cell.Mutex(newRedsync)},
	expected: violates("redsync", "All tries of one LockContext have one value, so a late clean-up removes the key of a later try: 2,000 schedules find lease-honesty in two-step-release and late-request. A LockContext that is cancelled in the middle of a try cleans up with the context that has ended: no-orphan in cancel.",
		"lease-honesty", "truthful-extend", "mutual-exclusion", "linearizable", "no-lost-update", "no-orphan"),
}

type redsyncer struct {
	rs      *redsync.Redsync
	c       *cell.Client
	options []redsync.Option
}

func newRedsync(c *cell.Client) lock.Locker {
	var pools []redsyncredis.Pool
	for _, o := range redisstore.AllOptions(c) {
		rdb := redis.NewClient(o)
		c.Cleanup(func() { _ = rdb.Close() })
		pools = append(pools, goredis.NewPool(rdb))
	}
	return redsyncer{rs: redsync.New(pools...), c: c}
}

func (l redsyncer) Acquire(ctx context.Context) (lock.Lease, error) {
	m := l.rs.NewMutex(l.c.LockName(), append(l.options, redsync.WithExpiry(lock.TTL(ctx, l.c.TTL())))...)
	err := m.LockContext(ctx)
	if taken := new(redsync.ErrTaken); errors.Is(err, redsync.ErrFailed) || errors.As(err, &taken) {
		err = errors.Join(lock.ErrNotAcquired, err)
	}
	return redsynced{m, l.c}, err
}

type redsynced struct {
	m *redsync.Mutex
	c *cell.Client
}

// Until is translated: redsync reads package time, which is one clock for all processes of a run.
func (l redsynced) Until() time.Time { return l.c.Clock().Now().Add(time.Until(l.m.Until())) }

func (l redsynced) Release(ctx context.Context) error { return held(l.m.UnlockContext(ctx)) }

// Extend ignores the TTL: redsync extends by the expiry of the Mutex.
func (l redsynced) Extend(ctx context.Context, _ time.Duration) error {
	return held(l.m.ExtendContext(ctx))
}

// held is the error of a release or an extension. A false is certain, unless the request failed or its answer came too late.
func held(ok bool, err error) error {
	if failed := new(redsync.RedisError); !ok && !errors.As(err, &failed) && !errors.Is(err, redsync.ErrExtendFailed) {
		err = errors.Join(lock.ErrNotHeld, err)
	}
	return err
}
