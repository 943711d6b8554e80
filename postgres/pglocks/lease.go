package pglocks

import (
	"context"
	"crypto/rand"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/postgres/pglocks/internal/recipe"
)

// Lease is a row with an owner, an end by the database's clock, and a version. A client that finds the end
// passed takes the lock over, by one statement (INSERT ... ON CONFLICT DO UPDATE ... WHERE) that raises the
// version. It needs no connection while it is held, and works behind any pooler.
//
// It guarantees mutual exclusion as long as holders respect Until. What breaks it: a pause of the process
// between its last look at Until and an access (scenario gc-pause, property overrun), an access that
// arrives late (two-step-release, overrun), a clock of the database's that jumps ahead (server-clock-jump),
// and a failover that loses the last commits (failover-loss). The version is a fencing token: it grows with
// every acquisition and is never reset, since a release leaves the row. A failover may repeat one.
//
// The end is counted by the database from when it locks the row (clock_timestamp(), where now() would be
// the beginning of the transaction), and by the client from when it sends the statement, which is earlier.
//
// Requests: acquire 1 without contention, release 1, extend 1. A waiter makes 1 after each pause.
type Lease struct {
	pool    *pgxpool.Pool
	name    string
	options *recipe.Options
}

// NewLease returns a locker for the named lock. It is safe for concurrent use. [Create] makes its table.
func NewLease(pool *pgxpool.Pool, name string, options Options) *Lease {
	return &Lease{pool, name, options.recipe()}
}

// Acquire waits until the lock is held or ctx is done. If it gives up after a lost answer, it ends the lease
// that it may have got in the background.
func (l *Lease) Acquire(ctx context.Context) (lock.Lease, error) {
	c := l.claim(ctx)
	if err := c.Acquire(ctx, l.pool); err != nil {
		return nil, err
	}
	return c, nil
}

// claim is a new acquisition.
func (l *Lease) claim(ctx context.Context) *recipe.Claim {
	return &recipe.Claim{
		Hold: &recipe.Hold{On: l.pool, Name: l.name, Owner: rand.Text(), Options: l.options},
		TTL:  lock.TTL(ctx, l.options.TTL),
	}
}
