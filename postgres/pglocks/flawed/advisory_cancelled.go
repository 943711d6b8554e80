package flawed

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/postgres/pglocks"
	"github.com/lockpick-dev/lockpick/postgres/pglocks/internal/recipe"
)

// CancelledAdvisory is an advisory lock of a session, on a connection of its own, that is released with the
// context of the work that it protects:
//
//	defer conn.Release()
//	defer conn.Exec(ctx, `SELECT pg_advisory_unlock($1)`, key)
//
// Flawed: if the context has ended, the statement is not sent, and pgx sees no reason to close the
// connection. The pool takes it back with the lock, which is held for as long as the connection lives
// (scenario cancel, property progress). A release needs a context that ends later
// (context.WithoutCancel with a time-out), and must close the connection if it fails.
//
// Requests: acquire 1, release 1.
type CancelledAdvisory struct {
	pool    *pgxpool.Pool
	key     int64
	options *recipe.Options
}

// NewCancelledAdvisory returns a locker for the named lock. It is safe for concurrent use.
func NewCancelledAdvisory(pool *pgxpool.Pool, name string, options pglocks.Options) *CancelledAdvisory {
	return &CancelledAdvisory{pool, pglocks.Key(name), newOptions(options)}
}

// Acquire waits until the lock is held or ctx is done.
func (l *CancelledAdvisory) Acquire(ctx context.Context) (lock.Lease, error) {
	var conn *pgxpool.Conn
	_, err := l.options.Persist(ctx, func(bool) (held bool, err error) {
		if conn, err = l.pool.Acquire(ctx); err != nil {
			return false, err
		}
		if _, err = conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, l.key); err != nil {
			recipe.Discard(conn)
		}
		return err == nil, err
	})
	if err != nil {
		return nil, recipe.LockError("acquire", err)
	}
	return &cancelledHold{ctx, l, conn}, nil
}

// cancelledHold is a connection whose session has the lock.
type cancelledHold struct {
	ctx  context.Context // of the work
	of   *CancelledAdvisory
	conn *pgxpool.Conn // nil once it is given back
}

// Release releases the lock, unless the work's context has ended.
func (h *cancelledHold) Release(context.Context) error {
	if h.conn == nil {
		return lock.ErrNotHeld
	}
	_, err := h.of.options.Exec(h.ctx, h.conn, `SELECT pg_advisory_unlock($1)`, h.of.key)
	h.conn.Release()
	h.conn = nil
	if err != nil {
		return recipe.LockError("release", err)
	}
	return nil
}
