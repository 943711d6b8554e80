package recipe

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/lockpick-dev/lockpick/lock"
)

// Session takes a lock that ends with a connection, or with a transaction on it. Each acquisition has a
// connection of the pool for itself until it is over.
type Session struct {
	Pool    *pgxpool.Pool
	Options *Options
	// Begin are the first statements on the connection, which set its time-outs.
	Begin string
	// Take asks for the lock, and waits for it in the server for the TTL at most (lock_timeout).
	Take func(ctx context.Context, conn *pgxpool.Conn) error
	// GiveUp gives the lock up. The connection can be used for anything after that.
	GiveUp func(ctx context.Context, conn *pgxpool.Conn) error
}

// SessionLimits returns statements that set the time-outs of a session that has a lock: the server ends it
// when nothing is heard of its client for the TTL.
func (o *Options) SessionLimits() string { return limits(false, "idle_session_timeout", o.TTL) }

// Unlimited are the statements that undo [Options.SessionLimits].
const Unlimited = `RESET idle_session_timeout; RESET lock_timeout`

// Transaction returns statements that begin a transaction, which the server ends when nothing is heard of
// its client for the TTL.
func (o *Options) Transaction() string {
	return `BEGIN; ` + limits(true, "idle_in_transaction_session_timeout", o.TTL)
}

// Commit ends a transaction.
func (o *Options) Commit(ctx context.Context, conn *pgxpool.Conn) error {
	return o.Within(ctx, o.Patience, func(ctx context.Context) error {
		tag, err := conn.Exec(ctx, `COMMIT`)
		if err == nil && tag.String() != "COMMIT" { // ROLLBACK, if a statement of it has failed
			err = lock.ErrNotHeld
		}
		return err
	})
}

// Acquire waits until the lock is held or ctx is done. It tries again if the connection breaks.
func (s *Session) Acquire(ctx context.Context) (*SessionHold, error) {
	var h *SessionHold
	_, err := s.Options.Persist(ctx, func(bool) (held bool, err error) {
		h, err = s.try(ctx)
		return err == nil, err
	})
	if err != nil {
		return nil, LockError("acquire", err)
	}
	h.watch()
	return h, nil
}

// try returns a hold of the lock.
func (s *Session) try(ctx context.Context) (*SessionHold, error) {
	conn, err := Connect(ctx, s.Pool, s.Options)
	if err != nil {
		return nil, err
	}
	h := &SessionHold{of: s, conn: conn, turn: make(chan struct{}, 1), lost: make(chan struct{})}
	if err := h.take(ctx); err != nil {
		Discard(conn)
		return nil, err
	}
	return h, nil
}

// interval is the time between two questions whether the connection is alive.
func (s *Session) interval() time.Duration { return s.Options.TTL / 12 }

// Unlock gives up an advisory lock of the session. It returns [lock.ErrNotHeld] if the session did not have
// it, as happens behind a pooler that gives each transaction any session.
func (o *Options) Unlock(ctx context.Context, conn *pgxpool.Conn, key int64) error {
	var had bool
	if err := o.Row(ctx, conn, []any{&had}, `SELECT pg_advisory_unlock($1)`, key); err != nil {
		return err
	}
	if !had {
		return lock.ErrNotHeld
	}
	if _, err := o.Exec(ctx, conn, Unlimited); err != nil {
		_ = conn.Conn().Close(ctx) // it is given up, and the pool does not keep the connection
	}
	return nil
}

// ChooseRow locks the row of a lock FOR UPDATE, and waits while another transaction has it.
func (o *Options) ChooseRow(ctx context.Context, conn *pgxpool.Conn, name string) error {
	var found string
	return conn.QueryRow(ctx, `SELECT name FROM lock_rows WHERE name = $1 FOR UPDATE`, name).Scan(&found)
}
