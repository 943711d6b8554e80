package sqllocks

import (
	"context"
	"crypto/rand"
	"database/sql"

	"github.com/lockpick-dev/lockpick/lock"
)

// NotedRow is [Row] whose holder notes that it has the lock, in a table, before it says so. It does that on another
// connection of the pool, so that the note stays if the transaction is rolled back.
//
// Flawed: it keeps a connection and waits for another. When threads of the same process wait for the lock with all other
// connections of their pool, the holder waits for them, and they for it (scenario pool-exhausted, property progress). A
// note on the connection that it has, or in a pool of its own, would not.
//
// Requests: acquire 3 (BEGIN, SELECT, INSERT), release 1 (COMMIT).
type NotedRow struct{ row *Row }

// NewNotedRow returns a locker for the named lock. It is safe for concurrent use. [Create] makes its tables.
func NewNotedRow(db *sql.DB, name string, options Options) *NotedRow {
	return &NotedRow{NewRow(db, name, options)}
}

// Acquire waits until the lock is held and noted, or ctx is done.
func (r *NotedRow) Acquire(ctx context.Context) (lock.Lease, error) {
	h, err := r.row.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	_, err = r.row.db.ExecContext(ctx, `INSERT INTO lock_orders (id, name, items) VALUES (?, ?, 0)`, rand.Text(), r.row.name)
	if err != nil {
		discard(h.(*rowHold).conn)
		return nil, told("acquire", err)
	}
	return h, nil
}

// RetriedRow is [Row] that repeats the statement that has ended in a deadlock, and not its transaction.
//
// Flawed: the database has rolled the whole transaction back. The statement that is repeated is a transaction by itself, and
// its lock is gone when it is answered (scenario deadlock, property mutual-exclusion). [Row] begins anew.
//
// Requests: as [Row].
type RetriedRow struct{ row *Row }

// NewRetriedRow returns a locker for the named lock. It is safe for concurrent use. [Create] makes its table.
func NewRetriedRow(db *sql.DB, name string, options Options) *RetriedRow {
	return &RetriedRow{NewRow(db, name, options)}
}

// Acquire waits until the lock is held or ctx is done.
func (r *RetriedRow) Acquire(ctx context.Context) (lock.Lease, error) {
	var conn *sql.Conn
	_, err := r.row.options.persist(ctx, func(bool) (held bool, err error) {
		if err = r.row.make(ctx); err == nil {
			conn, err = r.try(ctx)
		}
		return err == nil, err
	})
	if err != nil {
		return nil, told("acquire", err)
	}
	return &rowHold{of: r.row, conn: conn}, nil
}

// try returns a connection, whose transaction has the row unless there was a deadlock.
func (r *RetriedRow) try(ctx context.Context) (*sql.Conn, error) {
	conn, err := begin(ctx, r.row.db, &r.row.options)
	if err != nil {
		return nil, err
	}
	for {
		err = r.row.choose(ctx, conn)
		if number(err) != deadlock {
			break
		}
	}
	if err != nil {
		discard(conn)
		return nil, err
	}
	return conn, nil
}
