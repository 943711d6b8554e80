package main

import (
	"context"
	"errors"
	"reflect"
	"time"
	"unsafe"

	"github.com/RichardKnop/machinery/v1/config"
	machinerylock "github.com/RichardKnop/machinery/v1/locks/redis"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

var machineryLibrary = library{
	module: "github.com/RichardKnop/machinery",
	lock: cell.Lock{ID: "machinery", Summary: "the lock of RichardKnop/machinery's periodic tasks, which ends by its time alone", Flawed: true,
		Store: redisstore.Store, Subject: cell.Mutex(newMachinery)},
	expected: except(violates("machinery", "A lock ends at a time that its client chose before it asked, which is the key's value. A client that finds it passed writes its own by GETSET, even if another has just done so, and then fails: the key has the loser's time (lease-honesty). If that GETSET was late, its time passes before the winner's, and the next client takes the lock beside the winner (mutual-exclusion, no-lost-update: in 16 and 5 of 3,000 schedules of storm). A key that lives on by Redis's clock is taken over when its own time has passed (owner-only-release: nobody loses by it). Where the key expires before its GET or GETSET, the answer is nil, which Lock returns as an error, in the second case with its key written and no expiry. An answer that comes late is not noticed. The adapter replaces the client that the library makes, which it cannot close, by one of the simulated Redis.",
		"mutual-exclusion", "no-lost-update", "lease-honesty", "owner-only-release", "no-orphan", "truthful-acquire"),
		"lost-wakeup", "leases of a minute end by their time alone there, so that waiters wait for minutes without a fault"),
}

// machineryLock has no Unlock: the key expires. Its client is replaced, since the library cannot close the one that it makes, and takes no other.
type machineryLock struct {
	l machinerylock.Lock
	c *cell.Client
}

func newMachinery(c *cell.Client) lock.Locker {
	l := machinerylock.New(&config.Config{}, c.Addresses(), 0, 3)
	client := (*redis.UniversalClient)(unsafe.Pointer(reflect.ValueOf(&l).Elem().FieldByName("rclient").UnsafeAddr()))
	_ = (*client).Close() // it has not connected yet
	*client = redisstore.Connect(c)
	return machineryLock{l, c}
}

func (l machineryLock) Acquire(ctx context.Context) (lock.Lease, error) {
	end := time.Now().Add(l.c.TTL())
	err := l.l.Lock(l.c.LockName(), end.UnixNano())
	if errors.Is(err, machinerylock.ErrRedisLockFailed) {
		err = errors.Join(lock.ErrNotAcquired, err)
	}
	return machineryLease{l.c, end}, err
}

type machineryLease struct {
	c   *cell.Client
	end time.Time
}

// Until is translated: machinery reads package time, which is one clock for all processes of a run.
func (l machineryLease) Until() time.Time { return l.c.Clock().Now().Add(time.Until(l.end)) }

// Release waits for the end of the lease. Nothing says whether it was held until then.
func (l machineryLease) Release(ctx context.Context) error {
	select {
	case <-l.c.Clock().After(time.Until(l.end)):
		return lock.ErrUnknown
	case <-ctx.Done():
		return ctx.Err()
	}
}
