package flawed

import (
	"context"
	"database/sql"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks/internal/recipe"
)

// AutocommitRow is [sqllocks.Row] that selects its row FOR UPDATE, and neither begins a transaction nor turns autocommit off.
//
// Flawed: the statement is a transaction by itself, which the database commits as soon as it has answered. The row is locked
// for no longer than that, and the COMMIT of a release ends nothing (scenario contention, property mutual-exclusion). [sqllocks.Row] begins a transaction.
//
// Requests: acquire 1 (SELECT), release 1 (COMMIT).
type AutocommitRow struct{ row *recipe.Row }

// NewAutocommitRow returns a locker for the named lock. It is safe for concurrent use. [sqllocks.Create] makes its table.
func NewAutocommitRow(db *sql.DB, name string, options sqllocks.Options) *AutocommitRow {
	return &AutocommitRow{newRow(db, name, options)}
}

// Acquire waits until no other transaction has the row, or ctx is done.
func (r *AutocommitRow) Acquire(ctx context.Context) (lock.Lease, error) {
	return acquire(ctx, r.row, r.try)
}

// try returns a connection that has selected the row.
func (r *AutocommitRow) try(ctx context.Context) (*sql.Conn, error) {
	conn, err := recipe.Connect(ctx, r.row.DB, r.row.Options)
	if err != nil {
		return nil, err
	}
	if err = r.row.Choose(ctx, conn); err != nil {
		recipe.Discard(conn)
		return nil, err
	}
	return conn, nil
}
