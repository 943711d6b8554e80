package pglocks

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/postgres/pglocks/internal/recipe"
)

// Row is a row lock: its holder is in a transaction that has selected the row FOR UPDATE. A release commits
// it.
//
// It is what [AdvisoryXact] is, and works behind a pooler in transaction mode: Lost is closed when the
// connection does not answer, and idle_in_transaction_session_timeout ends the session of a holder that is
// cut off. A connection that breaks (scenario storm, property mutual-exclusion), a restart (node-restart)
// and a failover (failover-loss) free the lock before its holder knows. A resource in the same database
// should be written in the lock's own transaction, which cannot commit then: see [PessimisticStock].
//
// A connection is in use while a client waits, and while it has the lock: with fewer connections than
// waiters, a thread that needs another connection waits for them.
//
// Requests: acquire 2 (BEGIN with SET LOCAL, SELECT), release 1 (COMMIT), and one every twelfth of the TTL;
// and 3 that make the row, if it is not there.
type Row struct{ session *recipe.Session }

// NewRow returns a locker for the named lock. It is safe for concurrent use. [Create] makes its table; the
// row is made when the lock is first used, since FOR UPDATE of a row that does not exist excludes nobody.
func NewRow(pool *pgxpool.Pool, name string, options Options) *Row {
	o := options.recipe()
	return &Row{&recipe.Session{
		Pool: pool, Options: o, Begin: o.Transaction(), GiveUp: o.Commit,
		Take: func(ctx context.Context, conn *pgxpool.Conn) error {
			err := o.ChooseRow(ctx, conn, name)
			if recipe.NoRows(err) {
				if err = makeRow(ctx, conn, name, o.Transaction()); err == nil {
					err = o.ChooseRow(ctx, conn, name)
				}
			}
			return err
		},
	}}
}

// makeRow makes the row by a transaction of its own, and begins another.
func makeRow(ctx context.Context, conn *pgxpool.Conn, name, begin string) error {
	if _, err := conn.Exec(ctx, `ROLLBACK`); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, `INSERT INTO lock_rows (name) VALUES ($1) ON CONFLICT DO NOTHING`, name); err != nil {
		return err
	}
	_, err := conn.Exec(ctx, begin)
	return err
}

// Acquire waits until the lock is held or ctx is done. It tries again if the connection breaks, and after
// lock_timeout.
func (r *Row) Acquire(ctx context.Context) (lock.Lease, error) { return acquire(ctx, r.session) }
