package pglocks

import (
	"context"
	"hash/fnv"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/postgres/pglocks/internal/recipe"
)

// Key returns the number of an advisory lock with a name: 64 bits of FNV-1a. Other programs that use
// advisory locks in the same database must not use the same numbers.
func Key(name string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // never fails
	return int64(h.Sum64())
}

// Advisory is an advisory lock of a session, by pg_advisory_lock on a connection that nothing else uses
// until the lock is released. It needs no table and no transaction. The server grants it in the order in
// which it was asked for.
//
// The lock lives as long as the session, and the holder cannot keep it alive; it can only check. It asks on
// the connection every twelfth of the TTL, and Lost is closed when that fails, or when nothing was heard for
// the TTL. The session's idle_session_timeout is set to the TTL, so that a holder that is cut off does not
// keep the lock for longer than it claims.
//
// Between the end of the session and the next check two clients may hold the lock: a connection that breaks
// (scenario storm, property mutual-exclusion), a server that restarts (node-restart) and a failover, as
// the new primary knows of no advisory locks (failover-loss). There is no fencing token.
//
// It needs the sessions of PostgreSQL: behind a pooler it is right in session mode alone. With PgBouncer in
// transaction mode the lock and its release run on any session that is free, and the lock is held for ever,
// or by all. [AdvisoryXact] and [Row] can be used there.
//
// Requests: acquire 2 (SET, pg_advisory_lock), release 2 (pg_advisory_unlock, RESET), and one every twelfth
// of the TTL.
type Advisory struct{ session *recipe.Session }

// NewAdvisory returns a locker for the named lock, whose number is [Key]. It is safe for concurrent use.
func NewAdvisory(pool *pgxpool.Pool, name string, options Options) *Advisory {
	o, key := options.recipe(), Key(name)
	return &Advisory{&recipe.Session{
		Pool: pool, Options: o, Begin: o.SessionLimits(),
		Take: func(ctx context.Context, conn *pgxpool.Conn) error {
			_, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, key)
			return err
		},
		GiveUp: func(ctx context.Context, conn *pgxpool.Conn) error { return o.Unlock(ctx, conn, key) },
	}}
}

// Acquire waits until the lock is held or ctx is done. It tries again if the connection breaks.
func (a *Advisory) Acquire(ctx context.Context) (lock.Lease, error) { return acquire(ctx, a.session) }

// acquire returns a hold as a lease: nil and not a nil hold after an error.
func acquire(ctx context.Context, s *recipe.Session) (lock.Lease, error) {
	h, err := s.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	return h, nil
}
