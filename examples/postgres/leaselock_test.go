package leaselock_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/examples/postgres"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/postgres"
)

func TestLock(t *testing.T) {
	locktest.Check(t, newLock, locktest.On(postgres.Schema(leaselock.Table)), locktest.Ownership(row))
}

// TestPooler is the same behind a PgBouncer in transaction mode.
func TestPooler(t *testing.T) {
	locktest.Check(t, newLock, locktest.On(postgres.Schema(leaselock.Table)), locktest.Ownership(row),
		locktest.Param("pooler", "transaction"), locktest.Only("contention", "holder-crash", "late-reply", "node-restart"))
}

// newLock makes the lock of a client. Its pool prepares nothing: a prepared statement is in one session, and behind the
// pooler the next request may get another.
func newLock(c *cell.Client) lock.Locker {
	pool := postgres.Pool(c, func(config *pgxpool.Config) {
		config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	})
	return adapter{leaselock.New(pool, c.LockName(), c.TTL())}
}

// row names the columns with the owner of the lock and the end of its lease.
var row = postgres.RowOwnership{Table: "leases", Owner: "owner", Expires: "expires"}

// adapter says the same in the words of package lock.
type adapter struct{ of *leaselock.Lock }

func (a adapter) Acquire(ctx context.Context) (lock.Lease, error) {
	h, err := a.of.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	return lease{h}, nil
}

type lease struct{ *leaselock.Lease }

func (l lease) Release(ctx context.Context) error {
	err := l.Lease.Release(ctx)
	if errors.Is(err, leaselock.ErrLost) {
		return lock.ErrNotHeld
	}
	return err
}
