// Package orders sells what is in stock. Several shops share the stock, so each takes a lock before it
// looks how much there is.
package orders

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
)

// Schema is the stock, three pieces of it, and the orders.
var Schema = []string{
	"CREATE TABLE stock (id BIGINT NOT NULL PRIMARY KEY, pieces BIGINT NOT NULL)",
	"CREATE TABLE orders (id VARCHAR(32) NOT NULL PRIMARY KEY)",
	"INSERT INTO stock (id, pieces) VALUES (1, 3)",
}

// Pieces is how many there are at first.
const Pieces = 3

// ErrSoldOut is returned when nothing is left.
var ErrSoldOut = errors.New("sold out")

// Shop takes orders.
type Shop struct {
	DB    *sql.DB
	Lock  lock.Locker
	Sleep func(time.Duration)
	// Conditional makes the statement that takes a piece look whether there is one. The shop then needs
	// the lock no more.
	Conditional bool
}

// Sell takes an order. The order's id makes it safe to take it again.
func (s *Shop) Sell(ctx context.Context, order string) error {
	for ctx.Err() == nil {
		lease, err := s.Lock.Acquire(ctx)
		if err != nil {
			s.Sleep(100 * time.Millisecond)
			continue
		}
		err = s.sell(ctx, order)
		_ = lease.Release(context.WithoutCancel(ctx)) // it ends by itself
		if err == nil || errors.Is(err, ErrSoldOut) {
			return err
		}
		s.Sleep(100 * time.Millisecond)
	}
	return ctx.Err()
}

func (s *Shop) sell(ctx context.Context, order string) error {
	tx, err := s.DB.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if known, err := exists(ctx, tx, order); err != nil || known {
		return err
	}
	if err := s.take(ctx, tx); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO orders (id) VALUES (?)", order); err != nil {
		return err
	}
	return tx.Commit()
}

// exists reports whether an order was taken before.
func exists(ctx context.Context, tx *sql.Tx, order string) (bool, error) {
	var id string
	err := tx.QueryRowContext(ctx, "SELECT id FROM orders WHERE id = ?", order).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// take takes a piece.
func (s *Shop) take(ctx context.Context, tx *sql.Tx) error {
	if s.Conditional {
		r, err := tx.ExecContext(ctx, "UPDATE stock SET pieces = pieces - 1 WHERE id = 1 AND pieces > 0")
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, ErrSoldOut)
		}
		return nil
	}
	var left int64
	if err := tx.QueryRowContext(ctx, "SELECT pieces FROM stock WHERE id = 1").Scan(&left); err != nil {
		return err
	}
	if left == 0 {
		return ErrSoldOut
	}
	_, err := tx.ExecContext(ctx, "UPDATE stock SET pieces = ? WHERE id = 1", left-1)
	return err
}
