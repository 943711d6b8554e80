package pglocks

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/postgres/pglocks/internal/recipe"
)

// Notify is [Lease] whose waiters are woken: a release notifies a channel (pg_notify), and a waiter LISTENs
// on a connection of its own until it has the lock. That connection is not one of the pool: waiters would keep the
// holder from it.
//
// It guarantees what [Lease] does, and is broken by the same (gc-pause and two-step-release, property
// overrun; server-clock-jump; failover-loss). Nobody stores a notification for a listener whose connection
// breaks. So a waiter looks again each time that it listens, and does not wait beyond the end of the present
// lease: a notification that is lost costs time, and no more. That holds behind a pooler in transaction
// mode, where LISTEN is of no use; waiters then wait for the ends of leases.
//
// Requests: acquire 1 without contention, release 1, extend 1. A waiter makes a new connection and 3 (LISTEN, the
// try and a look at the present lease), and 2 each time that it is woken and another was faster.
type Notify struct{ Lease }

// NewNotify returns a locker for the named lock. The name is that of the channel, too, which has at most 63
// bytes. It is safe for concurrent use. [Create] makes its table.
func NewNotify(pool *pgxpool.Pool, name string, options Options) *Notify {
	return &Notify{*NewLease(pool, name, options)}
}

// endAndNotify ends a lease and wakes those that wait for it, in one transaction.
const endAndNotify = `WITH ended AS (` + recipe.EndLease + ` RETURNING name) SELECT pg_notify(name, '') FROM ended`

// Acquire waits until the lock is held or ctx is done. If it gives up after a lost answer, it ends the lease
// that it may have got in the background.
func (n *Notify) Acquire(ctx context.Context) (lock.Lease, error) {
	c := n.claim(ctx)
	c.Gives = endAndNotify
	var held bool
	open, err := n.options.Persist(ctx, func(bool) (done bool, err error) {
		if held, err = c.Try(ctx, n.pool); held || err != nil {
			return held, err
		}
		return n.listen(ctx, c)
	})
	if err != nil {
		c.Abandon(open)
		return nil, recipe.LockError("acquire", err)
	}
	return c, nil
}

// listen waits for the lease on a connection that listens.
func (n *Notify) listen(ctx context.Context, c *recipe.Claim) (held bool, err error) {
	conn, err := n.options.Dial(ctx, n.pool)
	if err != nil {
		return false, err
	}
	defer recipe.Close(conn)
	return n.try(ctx, conn, c)
}

// try tries each time that the lock may be free.
func (n *Notify) try(ctx context.Context, conn *pgx.Conn, c *recipe.Claim) (held bool, err error) {
	if _, err := n.options.Exec(ctx, conn, `LISTEN `+pgx.Identifier{n.name}.Sanitize()); err != nil {
		return false, err
	}
	for {
		if held, err := c.Try(ctx, conn); held || err != nil {
			return held, err
		}
		if err := n.await(ctx, conn); err != nil {
			return false, err
		}
	}
}

// await waits for a notification, or for the end of the present lease.
func (n *Notify) await(ctx context.Context, conn *pgx.Conn) error {
	left, err := n.left(ctx, conn)
	if err != nil || left <= 0 {
		return err
	}
	err = n.options.Within(ctx, left, func(ctx context.Context) error {
		_, err := conn.WaitForNotification(ctx)
		return err
	})
	if conn.IsClosed() || ctx.Err() != nil {
		return err
	}
	return nil // it was woken, or the lease is over
}

// left returns how long the present lease lasts, by the database's clock.
func (n *Notify) left(ctx context.Context, conn *pgx.Conn) (left time.Duration, err error) {
	err = n.options.Row(ctx, conn, []any{&left}, `SELECT expires - clock_timestamp() FROM lock_leases WHERE name = $1`, n.name)
	if recipe.NoRows(err) { // a failover has lost it
		return 0, nil
	}
	return left, err
}
