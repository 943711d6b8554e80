package main

import (
	"context"
	"errors"
	"time"

	"github.com/RichardKnop/machinery/v1/config"
	machinerylock "github.com/RichardKnop/machinery/v1/locks/redis"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

var machineryLibrary = library{
	module: "github.com/RichardKnop/machinery",
	lock: cell.Lock{ID: "machinery", Summary: "the lock of RichardKnop/machinery's periodic tasks, which nothing releases", Flawed: true,
		Store: redisstore.Store, Subject: cell.Mutex(newMachinery)},
	expected: violates("machinery", "It compares clocks of clients, and takes an expired key over by GETSET."),
}

// machineryLock makes its own client, of an address. It has no Unlock: the key expires.
type machineryLock struct {
	l machinerylock.Lock
	c *cell.Client
}

func newMachinery(c *cell.Client) lock.Locker {
	return machineryLock{machinerylock.New(&config.Config{}, c.Addresses(), 0, 3), c}
}

func (l machineryLock) Acquire(ctx context.Context) (lock.Lease, error) {
	err := l.l.Lock(l.c.LockName(), time.Now().Add(l.c.TTL()).UnixNano())
	if errors.Is(err, machinerylock.ErrRedisLockFailed) {
		err = errors.Join(lock.ErrNotAcquired, err)
	}
	return machineryLease{}, err
}

type machineryLease struct{}

func (machineryLease) Release(context.Context) error { return lock.ErrUnknown }
