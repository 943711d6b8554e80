package recipe

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"

	"github.com/lockpick-dev/lockpick/lock"
)

// Stock is a number of items in a row, and the orders that were served from it. The orders
// show whether a COMMIT whose answer was lost has succeeded.
type Stock struct {
	DB      *sql.DB
	Name    string
	Options *Options
}

// Fill puts the first items into the stock and returns true; if it was filled before it
// returns false and changes nothing. A try whose answer was lost may have filled it: Fill then
// tries again, and returns false. After an error it may or may not have been filled.
func (s *Stock) Fill(ctx context.Context, items int) (filled bool, err error) {
	_, err = s.Options.Persist(ctx, func(bool) (bool, error) {
		n, err := s.Options.Exec(ctx, s.DB, `INSERT IGNORE INTO lock_stock (name, items, version) VALUES (?, ?, 0)`, s.Name, items)
		filled = filled || n > 0
		return err == nil, err
	})
	if err != nil {
		return false, LockError("fill", err)
	}
	return filled, nil
}

// Left returns the number of items a moment ago.
func (s *Stock) Left(ctx context.Context) (int, error) {
	var left int
	_, err := s.Options.Persist(ctx, func(bool) (bool, error) {
		err := s.Options.Row(ctx, s.DB, []any{&left}, `SELECT items FROM lock_stock WHERE name = ?`, s.Name)
		return err == nil, err
	})
	if err != nil {
		return 0, LockError("left", err)
	}
	return left, nil
}

// A Sale serves one order in a transaction.
type Sale struct {
	of    *Stock
	id    string
	items int
	order func(context.Context) error
	// served is set once the order was called, which happens only once.
	served bool
}

// errRefused says that the order has failed.
type errRefused struct{ error }

func (e errRefused) Unwrap() error { return e.error }

// Sell serves an order. Attempt runs the statements of a transaction up to its COMMIT; it
// reports whether there is anything to commit.
func Sell(ctx context.Context, s *Stock, n int, order func(context.Context) error, attempt func(context.Context, *Sale, *sql.Conn) (bool, error)) error {
	if n < 1 {
		return fmt.Errorf("sqllocks: sell: %d items: want at least 1", n)
	}
	x := &Sale{of: s, id: rand.Text(), items: n, order: order}
	_, err := s.Options.Persist(ctx, func(bool) (bool, error) { return x.try(ctx, attempt) })
	var refused errRefused
	switch {
	case errors.As(err, &refused):
		return refused.error
	case err != nil:
		return LockError("sell", err)
	}
	return nil
}

// try runs the transaction once. After the order was served, it only repeats the
// question whether it was committed.
func (x *Sale) try(ctx context.Context, attempt func(context.Context, *Sale, *sql.Conn) (bool, error)) (done bool, err error) {
	o := x.of.Options
	conn, err := Begin(ctx, x.of.DB, o)
	if err != nil {
		return false, err
	}
	commits, err := attempt(ctx, x, conn)
	if err == nil && !commits {
		if _, err = o.Exec(ctx, conn, `ROLLBACK`); err == nil {
			return false, conn.Close()
		}
	}
	if err == nil {
		_, err = o.Exec(ctx, conn, `COMMIT`)
		if err == nil {
			return true, conn.Close()
		}
	}
	Discard(conn)
	if x.served && Again(err) {
		return true, x.committed(ctx, err)
	}
	return false, err
}

// committed looks for the order after an answer was lost. If it exists, the transaction was
// committed. If not, a COMMIT may still be under way, and its failure is returned.
func (x *Sale) committed(ctx context.Context, failure error) error {
	var id string
	o := x.of.Options
	_, err := o.Persist(ctx, func(bool) (bool, error) {
		err := o.Row(ctx, x.of.DB, []any{&id}, `SELECT id FROM lock_orders WHERE id = ?`, x.id)
		return err == nil, err
	})
	if err != nil {
		return errRefused{LockError("sell", failure)}
	}
	return nil
}

// Serve calls the order, and notes it in the transaction.
func (x *Sale) Serve(ctx context.Context, conn *sql.Conn) error {
	x.served = true
	if err := x.order(ctx); err != nil {
		return errRefused{err}
	}
	_, err := x.of.Options.Exec(ctx, conn, `INSERT INTO lock_orders (id, name, items) VALUES (?, ?, ?)`, x.id, x.of.Name, x.items)
	return err
}

// SoldOut returns the error of an order for more items than there are.
func SoldOut() error { return errRefused{fmt.Errorf("sqllocks: sell: %w", lock.ErrSoldOut)} }

// SellIf sells if a condition holds when the items are taken. The condition gets the
// version that was read.
func SellIf(ctx context.Context, s *Stock, n int, order func(context.Context) error, condition func(version int64) (string, []any)) error {
	return Sell(ctx, s, n, order, func(ctx context.Context, x *Sale, conn *sql.Conn) (bool, error) {
		var left, version int64
		// The snapshot is made by this read, so that it shows the newest commit. So the
		// UPDATE compares with the newest commit.
		err := s.Options.Row(ctx, conn, []any{&left, &version}, `SELECT items, version FROM lock_stock WHERE name = ?`, s.Name)
		switch {
		case err != nil:
			return false, err
		case left < int64(n):
			return false, SoldOut()
		}
		where, args := condition(version)
		changed, err := s.Options.Exec(ctx, conn, `UPDATE lock_stock SET items = items - ?, version = version + 1 WHERE name = ? AND `+where, append([]any{n, s.Name}, args...)...)
		if err != nil || changed == 0 {
			return false, err
		}
		return true, x.Serve(ctx, conn)
	})
}
