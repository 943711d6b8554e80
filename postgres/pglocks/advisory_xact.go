package pglocks

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/postgres/pglocks/internal/recipe"
)

// AdvisoryXact is an advisory lock of a transaction, by pg_advisory_xact_lock. The transaction stays open
// while the lock is held, and a release commits it. It needs no table.
//
// It is what [Advisory] is, and Lost is closed likewise: here idle_in_transaction_session_timeout ends the
// session of a holder that is cut off. Since nothing outlives the transaction, it works behind a pooler in
// transaction mode, too. What breaks it is the same: a connection that breaks (scenario storm, property
// mutual-exclusion), a restart (node-restart) and a failover (failover-loss). What is in the same database
// should be written in a transaction that asks for the lock first: it cannot commit without the lock.
//
// A transaction that is open for long keeps vacuum from removing dead rows, so this is for short sections.
//
// Requests: acquire 2 (BEGIN with SET LOCAL, pg_advisory_xact_lock), release 1 (COMMIT), and one every
// twelfth of the TTL.
type AdvisoryXact struct{ session *recipe.Session }

// NewAdvisoryXact returns a locker for the named lock, whose number is [Key]. It is safe for concurrent use.
func NewAdvisoryXact(pool *pgxpool.Pool, name string, options Options) *AdvisoryXact {
	o, key := options.recipe(), Key(name)
	return &AdvisoryXact{&recipe.Session{
		Pool: pool, Options: o, Begin: o.Transaction(), GiveUp: o.Commit,
		Take: func(ctx context.Context, conn *pgxpool.Conn) error {
			_, err := conn.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, key)
			return err
		},
	}}
}

// Acquire waits until the lock is held or ctx is done. It tries again if the connection breaks.
func (a *AdvisoryXact) Acquire(ctx context.Context) (lock.Lease, error) {
	return acquire(ctx, a.session)
}
