package recipe

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync/atomic"
)

// Row is a row lock: its holder is in a transaction that has selected the row FOR UPDATE.
type Row struct {
	DB      *sql.DB
	Name    string
	Options *Options
	made    atomic.Bool // the row exists
}

// Acquire waits until the lock is held or ctx is done. It tries again if the connection
// breaks, and after the database's time-out for waiters (innodb_lock_wait_timeout).
func (r *Row) Acquire(ctx context.Context) (*SessionHold, error) {
	var conn *sql.Conn
	_, err := r.Options.Persist(ctx, func(bool) (held bool, err error) {
		if err = r.Make(ctx); err == nil {
			conn, err = r.try(ctx)
		}
		return err == nil, err
	})
	if err != nil {
		return nil, LockError("acquire", err)
	}
	return r.Hold(conn), nil
}

// Hold returns the hold of a connection whose transaction has the row.
func (r *Row) Hold(conn *sql.Conn) *SessionHold {
	return &SessionHold{Options: r.Options, Conn: conn, GivesUp: `COMMIT`}
}

// Make makes the row, once.
func (r *Row) Make(ctx context.Context) error {
	if r.made.Load() {
		return nil
	}
	_, err := r.Options.Exec(ctx, r.DB, `INSERT IGNORE INTO lock_rows (name) VALUES (?)`, r.Name)
	r.made.Store(err == nil)
	return err
}

// try returns a connection whose transaction has the row. It waits for the answer until
// ctx is done, since the server limits the wait for the lock.
func (r *Row) try(ctx context.Context) (*sql.Conn, error) {
	conn, err := Begin(ctx, r.DB, r.Options)
	if err != nil {
		return nil, err
	}
	if err = r.Choose(ctx, conn); err != nil {
		Discard(conn)
		return nil, err
	}
	return conn, nil
}

// Choose locks the row.
func (r *Row) Choose(ctx context.Context, conn *sql.Conn) error {
	var name string
	err := conn.QueryRowContext(ctx, `SELECT name FROM lock_rows WHERE name = ? FOR UPDATE`, r.Name).Scan(&name)
	if errors.Is(err, sql.ErrNoRows) { // a failover has lost it
		r.made.Store(false)
		return driver.ErrBadConn
	}
	return err
}
