package recipe

import (
	"context"
	"database/sql"

	"github.com/lockpick-dev/lockpick/lock"
)

// SessionHold is a connection that has a lock. The lock ends with the connection.
type SessionHold struct {
	Options *Options
	Conn    *sql.Conn // nil once it is given up
	GivesUp string    // the statement that gives the lock up
}

// Release gives the lock up by the statement. If that is not answered, it closes the connection, and
// the database gives up the lock when it notices. It returns [lock.ErrNotHeld] if the lock was
// released before.
func (h *SessionHold) Release(ctx context.Context) error {
	if h.Conn == nil {
		return lock.ErrNotHeld
	}
	conn := h.Conn
	h.Conn = nil
	if _, err := h.Options.Exec(ctx, conn, h.GivesUp); err != nil {
		Discard(conn)
		return LockError("release", err)
	}
	return conn.Close()
}

// Discard closes the connection, and with it ends the lock.
func (h *SessionHold) Discard() { Discard(h.Conn) }
