package flawed

import (
	"context"
	"database/sql"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/postgres/pglocks"
	"github.com/lockpick-dev/lockpick/postgres/pglocks/internal/recipe"
)

// ReturnedAdvisory is an advisory lock of a session, on a connection of its own, whose release closes the
// connection, since the server gives up a session's locks when it ends.
//
// Flawed: the Close of an [sql.Conn] gives the connection back to the pool. The session lives on, with the
// lock (scenario contention, property progress), until the same process happens to get the connection
// again, in which it has the lock at once. pg_advisory_unlock is needed, or a Close of the driver's
// connection.
//
// Requests: acquire 1.
type ReturnedAdvisory struct {
	db      *sql.DB
	key     int64
	options *recipe.Options
}

// NewReturnedAdvisory returns a locker for the named lock. It is safe for concurrent use.
func NewReturnedAdvisory(db *sql.DB, name string, options pglocks.Options) *ReturnedAdvisory {
	return &ReturnedAdvisory{db, pglocks.Key(name), newOptions(options)}
}

// Acquire waits until the lock is held or ctx is done.
func (l *ReturnedAdvisory) Acquire(ctx context.Context) (lock.Lease, error) {
	var conn *sql.Conn
	_, err := l.options.Persist(ctx, func(bool) (held bool, err error) {
		if conn, err = l.db.Conn(ctx); err != nil {
			return false, err
		}
		if _, err = conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, l.key); err != nil {
			_ = conn.Close() // a failed connection is not kept
		}
		return err == nil, err
	})
	if err != nil {
		return nil, recipe.LockError("acquire", err)
	}
	return &returnedHold{conn}, nil
}

// returnedHold is a connection whose session has the lock.
type returnedHold struct{ conn *sql.Conn }

// Release gives the connection back.
func (h *returnedHold) Release(context.Context) error {
	if err := h.conn.Close(); err != nil {
		return lock.ErrNotHeld // it was given back before
	}
	return nil
}
