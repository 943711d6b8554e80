package sqllocks

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"

	"github.com/lockpick-dev/lockpick/lock"
)

// stock is a number of items in a row, and the orders that were served from it. The orders
// tell whether a transaction has been committed whose answer was lost.
type stock struct {
	db      *sql.DB
	name    string
	options Options
}

// Fill puts the first items into the stock and returns true; if it was filled before it
// returns false and changes nothing. A try whose answer was lost may have filled it: Fill then
// tries again, and returns false. After an error it may or may not have been filled.
func (s *stock) Fill(ctx context.Context, items int) (filled bool, err error) {
	_, err = s.options.persist(ctx, func(bool) (bool, error) {
		n, err := s.options.exec(ctx, s.db, `INSERT IGNORE INTO lock_stock (name, items, version) VALUES (?, ?, 0)`, s.name, items)
		filled = filled || n > 0
		return err == nil, err
	})
	if err != nil {
		return false, told("fill", err)
	}
	return filled, nil
}

// Left is the number of items a moment ago.
func (s *stock) Left(ctx context.Context) (int, error) {
	var left int
	_, err := s.options.persist(ctx, func(bool) (bool, error) {
		err := s.options.row(ctx, s.db, []any{&left}, `SELECT items FROM lock_stock WHERE name = ?`, s.name)
		return err == nil, err
	})
	if err != nil {
		return 0, told("left", err)
	}
	return left, nil
}

// A sale serves one order in a transaction.
type sale struct {
	of    *stock
	id    string
	items int
	order func(context.Context) error
	// served is set once the order was called: it is called once.
	served bool
}

// errRefused says that the order has failed.
type errRefused struct{ error }

func (e errRefused) Unwrap() error { return e.error }

// sell serves an order. Attempt runs the statements of a transaction up to its COMMIT; it
// reports whether there is anything to commit.
func (s *stock) sell(ctx context.Context, n int, order func(context.Context) error, attempt func(context.Context, *sale, *sql.Conn) (bool, error)) error {
	if n < 1 {
		return fmt.Errorf("sqllocks: sell: %d items: want at least 1", n)
	}
	x := &sale{of: s, id: rand.Text(), items: n, order: order}
	_, err := s.options.persist(ctx, func(bool) (bool, error) { return x.try(ctx, attempt) })
	var refused errRefused
	switch {
	case errors.As(err, &refused):
		return refused.error
	case err != nil:
		return told("sell", err)
	}
	return nil
}

// try runs the transaction once. Once the order is served nothing is repeated but the
// question whether it was committed.
func (x *sale) try(ctx context.Context, attempt func(context.Context, *sale, *sql.Conn) (bool, error)) (done bool, err error) {
	o := &x.of.options
	conn, err := begin(ctx, x.of.db, o)
	if err != nil {
		return false, err
	}
	commits, err := attempt(ctx, x, conn)
	if err == nil && !commits {
		if _, err = o.exec(ctx, conn, `ROLLBACK`); err == nil {
			return false, conn.Close()
		}
	}
	if err == nil {
		_, err = o.exec(ctx, conn, `COMMIT`)
		if err == nil {
			return true, conn.Close()
		}
	}
	discard(conn)
	if x.served && again(err) {
		return true, x.committed(ctx, err)
	}
	return false, err
}

// committed looks for the order after an answer was lost. If it is there the transaction
// was committed. If it is not, a COMMIT may still be under way, and its failure is returned.
func (x *sale) committed(ctx context.Context, failure error) error {
	var id string
	o := &x.of.options
	_, err := o.persist(ctx, func(bool) (bool, error) {
		err := o.row(ctx, x.of.db, []any{&id}, `SELECT id FROM lock_orders WHERE id = ?`, x.id)
		return err == nil, err
	})
	if err != nil {
		return errRefused{told("sell", failure)}
	}
	return nil
}

// serve calls the order, and notes it in the transaction.
func (x *sale) serve(ctx context.Context, conn *sql.Conn) error {
	x.served = true
	if err := x.order(ctx); err != nil {
		return errRefused{err}
	}
	_, err := x.of.options.exec(ctx, conn, `INSERT INTO lock_orders (id, name, items) VALUES (?, ?, ?)`, x.id, x.of.name, x.items)
	return err
}

// soldOut is the answer to an order for which there is not enough.
func soldOut() error { return errRefused{fmt.Errorf("sqllocks: sell: %w", lock.ErrSoldOut)} }
