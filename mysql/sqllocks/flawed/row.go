package flawed

import (
	"context"
	"crypto/rand"
	"database/sql"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks/internal/recipe"
)

func newRow(db *sql.DB, name string, options sqllocks.Options) *recipe.Row {
	return &recipe.Row{DB: db, Name: name, Options: newOptions(options)}
}

// NotedRow is [sqllocks.Row] whose Acquire, once it has the lock, notes that in a table before it returns. It does so on
// another connection of the pool, so that the note stays if the transaction is rolled back.
//
// Flawed: it keeps a connection and waits for another. When threads of the same process wait for the lock with all other
// connections of their pool, the holder waits for them, and they for it (scenario pool-exhausted, property progress). A note
// through the connection that it has, or through a pool of its own, would avoid that.
//
// Requests: acquire 3 (BEGIN, SELECT, INSERT), release 1 (COMMIT).
type NotedRow struct{ row *recipe.Row }

// NewNotedRow returns a locker for the named lock. It is safe for concurrent use. [sqllocks.Create] makes its tables.
func NewNotedRow(db *sql.DB, name string, options sqllocks.Options) *NotedRow {
	return &NotedRow{newRow(db, name, options)}
}

// Acquire waits until the lock is held and noted, or ctx is done.
func (r *NotedRow) Acquire(ctx context.Context) (lock.Lease, error) {
	h, err := r.row.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	_, err = r.row.DB.ExecContext(ctx, `INSERT INTO lock_orders (id, name, items) VALUES (?, ?, 0)`, rand.Text(), r.row.Name)
	if err != nil {
		h.Discard()
		return nil, recipe.LockError("acquire", err)
	}
	return h, nil
}

// RetriedRow is [sqllocks.Row] that repeats the statement that has ended in a deadlock, and not its transaction.
//
// Flawed: the database has rolled the whole transaction back. The statement that is repeated is a transaction by itself, and
// its lock is gone when it is answered (scenario deadlock, property mutual-exclusion). [sqllocks.Row] begins anew.
//
// Requests: as [sqllocks.Row].
type RetriedRow struct{ row *recipe.Row }

// NewRetriedRow returns a locker for the named lock. It is safe for concurrent use. [sqllocks.Create] makes its table.
func NewRetriedRow(db *sql.DB, name string, options sqllocks.Options) *RetriedRow {
	return &RetriedRow{newRow(db, name, options)}
}

// Acquire waits until the lock is held or ctx is done.
func (r *RetriedRow) Acquire(ctx context.Context) (lock.Lease, error) {
	return acquire(ctx, r.row, r.try)
}

// acquire waits until the row is held by a connection that try returns, or ctx is done.
func acquire(ctx context.Context, row *recipe.Row, try func(context.Context) (*sql.Conn, error)) (lock.Lease, error) {
	var conn *sql.Conn
	_, err := row.Options.Persist(ctx, func(bool) (held bool, err error) {
		if err = row.Make(ctx); err == nil {
			conn, err = try(ctx)
		}
		return err == nil, err
	})
	if err != nil {
		return nil, recipe.LockError("acquire", err)
	}
	return row.Hold(conn), nil
}

// try returns a connection whose transaction has the row, unless there was a deadlock.
func (r *RetriedRow) try(ctx context.Context) (*sql.Conn, error) {
	conn, err := recipe.Begin(ctx, r.row.DB, r.row.Options)
	if err != nil {
		return nil, err
	}
	for {
		err = r.row.Choose(ctx, conn)
		if recipe.Number(err) != recipe.Deadlock {
			break
		}
	}
	if err != nil {
		recipe.Discard(conn)
		return nil, err
	}
	return conn, nil
}
