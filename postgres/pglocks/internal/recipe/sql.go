package recipe

import (
	"context"
	"database/sql"
	"database/sql/driver"
)

// A SQLRunner runs statements by package database/sql: a pool, or one connection.
type SQLRunner interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// ExecSQL is [Options.Exec] by package database/sql.
func (o *Options) ExecSQL(ctx context.Context, on SQLRunner, query string, args ...any) (changed int64, err error) {
	err = o.Within(ctx, o.Patience, func(ctx context.Context) error {
		result, err := on.ExecContext(ctx, query, args...)
		if err == nil {
			changed, err = result.RowsAffected() // the driver has them from the answer
		}
		return err
	})
	return changed, err
}

// RowSQL is [Options.Row] by package database/sql.
func (o *Options) RowSQL(ctx context.Context, on SQLRunner, into []any, query string, args ...any) error {
	return o.Within(ctx, o.Patience, func(ctx context.Context) error {
		return on.QueryRowContext(ctx, query, args...).Scan(into...)
	})
}

// begin returns a connection in a transaction. It uses a statement, because an [sql.Tx] ends with its
// context.
func (o *Options) begin(ctx context.Context, db *sql.DB) (conn *sql.Conn, err error) {
	err = o.Within(ctx, o.TTL, func(ctx context.Context) (err error) {
		conn, err = db.Conn(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	if _, err := o.ExecSQL(ctx, conn, o.Transaction()); err != nil {
		discard(conn)
		return nil, err
	}
	return conn, nil
}

// discard closes a connection, and with it the transaction that it is in.
func discard(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // which is what it returns
}
