package pglock_test

import (
	"context"

	"cirello.io/pglock"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/postgres"
)

// table is what the library's CreateTable makes.
var table = postgres.Schema(
	"CREATE TABLE locks (name CHARACTER VARYING(255) PRIMARY KEY, record_version_number BIGINT, data BYTEA, owner CHARACTER VARYING(255))",
	"CREATE SEQUENCE locks_rvn OWNED BY locks.record_version_number",
)

// row is how it is read who has the lock. A release deletes it.
var row = postgres.RowOwnership{Table: "locks", Owner: "owner"}

// locker makes a client of the library for each acquisition.
type locker struct{ c *cell.Client }

func newLock(c *cell.Client) lock.Locker { return locker{c} }

// Acquire acquires with a heartbeat of a quarter of the lease. The context of a heartbeat is that of the acquisition, so
// it must not end with ctx.
func (l locker) Acquire(ctx context.Context) (lock.Lease, error) {
	client, err := pglock.New(postgres.PQ(l.c), pglock.WithLeaseDuration(l.c.TTL()), pglock.WithHeartbeatFrequency(l.c.TTL()/4), pglock.WithOwner(l.c.Name()))
	if err != nil {
		return nil, err
	}
	beating, stop := context.WithCancel(context.WithoutCancel(ctx))
	stay := context.AfterFunc(ctx, stop)
	held, err := client.AcquireContext(beating, l.c.LockName())
	stay()
	if err != nil {
		stop()
		return nil, err
	}
	return lease{held, stop}, nil
}

type lease struct {
	*pglock.Lock
	stop context.CancelFunc
}

// Release releases the lock.
func (l lease) Release(context.Context) error {
	defer l.stop()
	return l.Close()
}
