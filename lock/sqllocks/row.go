package sqllocks

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync/atomic"

	"github.com/lockpick-dev/lockpick/lock"
)

// Row is a row lock: who has the lock is in a transaction that has selected the row FOR
// UPDATE. A release commits it. MariaDB grants the lock in the order in which it was asked for;
// MySQL, from 8.0.20 on, first to the transaction that most others wait for.
//
// The lock lives as long as the connection: a holder that crashes loses it when the
// database notices, at once if its connection breaks, and after wait_timeout otherwise.
// A holder whose connection breaks has lost the lock too, and is not told: for a resource
// elsewhere that is two holders (scenario storm, property mutual-exclusion). A resource in
// the same database should be written in the lock's own transaction, which cannot commit
// then: see [PessimisticStock]. A failover frees all row locks (failover-loss).
//
// A connection is in use while a client waits, and while it has the lock: with fewer
// connections than waiters whoever needs another one waits for them. A
// transaction that is ended while it waits is begun anew.
//
// Requests: acquire 2 (BEGIN, SELECT), release 1 (COMMIT).
type Row struct {
	db      *sql.DB
	name    string
	options Options
	made    atomic.Bool // the row is there
}

// NewRow returns a locker for the named lock. It is safe for concurrent use. [Create]
// makes its table; the row is made when the lock is first used, since FOR UPDATE of a row
// that is not there locks nothing that others could not lock, too.
func NewRow(db *sql.DB, name string, options Options) *Row {
	return &Row{db: db, name: name, options: options.withDefaults()}
}

// Acquire waits until the lock is held or ctx is done. It tries again if the connection
// breaks, and after the database's time-out for waiters (innodb_lock_wait_timeout).
func (r *Row) Acquire(ctx context.Context) (lock.Lease, error) {
	var conn *sql.Conn
	_, err := r.options.persist(ctx, func(bool) (held bool, err error) {
		if err = r.make(ctx); err == nil {
			conn, err = r.try(ctx)
		}
		return err == nil, err
	})
	if err != nil {
		return nil, told("acquire", err)
	}
	return &rowHold{of: r, conn: conn}, nil
}

// make makes the row, once.
func (r *Row) make(ctx context.Context) error {
	if r.made.Load() {
		return nil
	}
	_, err := r.options.exec(ctx, r.db, `INSERT IGNORE INTO lock_rows (name) VALUES (?)`, r.name)
	r.made.Store(err == nil)
	return err
}

// try returns a connection whose transaction has the row. The answer is waited for until
// ctx is done: how long the lock is waited for is the server's to say.
func (r *Row) try(ctx context.Context) (*sql.Conn, error) {
	conn, err := begin(ctx, r.db, &r.options)
	if err != nil {
		return nil, err
	}
	if err = r.choose(ctx, conn); err != nil {
		discard(conn)
		return nil, err
	}
	return conn, nil
}

// choose locks the row.
func (r *Row) choose(ctx context.Context, conn *sql.Conn) error {
	var name string
	err := conn.QueryRowContext(ctx, `SELECT name FROM lock_rows WHERE name = ? FOR UPDATE`, r.name).Scan(&name)
	if errors.Is(err, sql.ErrNoRows) { // a failover has lost it
		r.made.Store(false)
		return driver.ErrBadConn
	}
	return err
}

// begin returns a connection in a transaction. It is a statement, and not an [sql.Tx], since
// that ends with its context.
func begin(ctx context.Context, db *sql.DB, o *Options) (*sql.Conn, error) {
	conn, err := connect(ctx, db, o)
	if err != nil {
		return nil, err
	}
	if _, err := o.exec(ctx, conn, `START TRANSACTION`); err != nil {
		discard(conn)
		return nil, err
	}
	return conn, nil
}

// rowHold is a connection whose transaction has the row.
type rowHold struct {
	of   *Row
	conn *sql.Conn // nil once it is given up
}

// Release commits the transaction. If that is not answered the connection is closed, with
// which the database gives up the lock when it notices. It returns [lock.ErrNotHeld] if the
// lock was released before.
func (h *rowHold) Release(ctx context.Context) error {
	if h.conn == nil {
		return lock.ErrNotHeld
	}
	conn := h.conn
	h.conn = nil
	if _, err := h.of.options.exec(ctx, conn, `COMMIT`); err != nil {
		discard(conn)
		return told("release", err)
	}
	return conn.Close()
}
