package main

import (
	"context"
	"errors"
	"io"
	"reflect"
	"time"
	"unsafe"

	"github.com/RichardKnop/machinery/v1/config"
	machinerylock "github.com/RichardKnop/machinery/v1/locks/redis"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

var machineryLibrary = library{
	module: "github.com/RichardKnop/machinery", dials: true,
	lock: cell.Lock{ID: "machinery", Summary: "the lock of RichardKnop/machinery's periodic tasks, which ends by its time alone", Flawed: true,
		Store: redisstore.Store, Subject: cell.Mutex(newMachinery), Needs: cell.Needs{Threads: 1}}, // threads stall in go-redis's handshake, by a mutex
	expected: except(except(violates("machinery", "A lock ends at a time that its client chose before it asked, and whoever asks after that time by its own clock takes the key over by GETSET, even if another has just done so. An answer that comes late is not noticed, and nothing removes the key of a request whose answer was lost.",
		"mutual-exclusion", "linearizable", "owner-only-release", "no-lost-update", "no-orphan"),
		"pool-exhausted", "it makes its own client, whose pool has no limit that can be set"),
		"lost-wakeup", "leases of a minute end by their time alone there, so that waiters wait for minutes without a fault"),
}

// machineryLock makes its own client, of an address. It has no Unlock: the key expires.
type machineryLock struct {
	l machinerylock.Lock
	c *cell.Client
}

func newMachinery(c *cell.Client) lock.Locker {
	l := machinerylock.New(&config.Config{}, c.Addresses(), 0, 3)
	client := reflect.ValueOf(&l).Elem().FieldByName("rclient") // which the library never closes
	c.Cleanup(func() {
		_ = reflect.NewAt(client.Type(), unsafe.Pointer(client.UnsafeAddr())).Elem().Interface().(io.Closer).Close()
	})
	return machineryLock{l, c}
}

func (l machineryLock) Acquire(ctx context.Context) (lock.Lease, error) {
	err := l.l.Lock(l.c.LockName(), time.Now().Add(l.c.TTL()).UnixNano())
	if errors.Is(err, machinerylock.ErrRedisLockFailed) {
		err = errors.Join(lock.ErrNotAcquired, err)
	}
	return machineryLease{l.c, l.c.Clock().Now().Add(l.c.TTL())}, err
}

type machineryLease struct {
	c   *cell.Client
	end time.Time
}

// Release waits for the end of the lease. Nothing says whether it was held until then.
func (l machineryLease) Release(ctx context.Context) error {
	select {
	case <-l.c.Clock().After(l.end.Sub(l.c.Clock().Now())):
		return lock.ErrUnknown
	case <-ctx.Done():
		return ctx.Err()
	}
}
