package recipe

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"

	"github.com/lockpick-dev/lockpick/lock"
)

// Stock is a number of items, and the orders that were served from it. The orders show whether a COMMIT
// whose answer was lost has succeeded.
type Stock struct {
	DB      *sql.DB
	Name    string
	Options *Options
	// Fills is the statement that puts the first items into the stock, unless it has any, and Counts the one
	// that counts them; those of a stock in one row if they are empty.
	Fills, Counts string
}

// Fill puts the first items into the stock and returns true; if it was filled before it returns false and
// changes nothing. A try whose answer was lost may have filled it: Fill then tries again, and returns false.
// After an error it may or may not have been filled.
func (s *Stock) Fill(ctx context.Context, items int) (filled bool, err error) {
	statement := s.Fills
	if statement == "" {
		statement = `INSERT INTO lock_stock (name, items, version) VALUES ($1, $2, 0) ON CONFLICT DO NOTHING`
	}
	_, err = s.Options.Persist(ctx, func(bool) (bool, error) {
		n, err := s.Options.ExecSQL(ctx, s.DB, statement, s.Name, items)
		filled = filled || n > 0
		return err == nil, err
	})
	if err != nil {
		return false, LockError("fill", err)
	}
	return filled, nil
}

// Left returns the number of items a moment ago.
func (s *Stock) Left(ctx context.Context) (left int, err error) {
	statement := s.Counts
	if statement == "" {
		statement = `SELECT items FROM lock_stock WHERE name = $1`
	}
	_, err = s.Options.Persist(ctx, func(bool) (bool, error) {
		err := s.Options.RowSQL(ctx, s.DB, []any{&left}, statement, s.Name)
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

// An Attempt runs the statements of a transaction up to its COMMIT. It reports whether there is anything to
// commit.
type Attempt func(context.Context, *Sale, *sql.Conn) (bool, error)

// Sell serves an order.
func (s *Stock) Sell(ctx context.Context, n int, order func(context.Context) error, attempt Attempt) error {
	if n < 1 {
		return fmt.Errorf("pglocks: sell: %d items: want at least 1", n)
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

// try runs the transaction once. After the order was served, it only repeats the question whether it was
// committed.
func (x *Sale) try(ctx context.Context, attempt Attempt) (done bool, err error) {
	o := x.of.Options
	conn, err := o.begin(ctx, x.of.DB)
	if err != nil {
		return false, err
	}
	commits, err := attempt(ctx, x, conn)
	if err == nil && !commits {
		if _, err = o.ExecSQL(ctx, conn, `ROLLBACK`); err == nil {
			return false, conn.Close()
		}
	}
	if err == nil {
		_, err = o.ExecSQL(ctx, conn, `COMMIT`)
		if err == nil {
			return true, conn.Close()
		}
	}
	discard(conn)
	if x.served && Again(err) {
		return true, x.committed(ctx, err)
	}
	return false, err
}

// committed looks for the order after an answer was lost. If it exists, the transaction was committed. If
// not, a COMMIT may still be under way, and its failure is returned.
func (x *Sale) committed(ctx context.Context, failure error) error {
	var id string
	o := x.of.Options
	_, err := o.Persist(ctx, func(bool) (bool, error) {
		err := o.RowSQL(ctx, x.of.DB, []any{&id}, `SELECT id FROM lock_orders WHERE id = $1`, x.id)
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
	_, err := x.of.Options.ExecSQL(ctx, conn, `INSERT INTO lock_orders (id, name, items) VALUES ($1, $2, $3)`, x.id, x.of.Name, x.items)
	return err
}

// SoldOut returns the error of an order for more items than there are.
func SoldOut() error { return errRefused{fmt.Errorf("pglocks: sell: %w", lock.ErrSoldOut)} }

// SellIf sells if a condition holds when the items are taken. The condition gets the version that was read;
// its parameters are those from $3 on.
func (s *Stock) SellIf(ctx context.Context, n int, order func(context.Context) error, condition func(version int64) (string, []any)) error {
	return s.Sell(ctx, n, order, func(ctx context.Context, x *Sale, conn *sql.Conn) (bool, error) {
		var left, version int64
		err := s.Options.RowSQL(ctx, conn, []any{&left, &version}, `SELECT items, version FROM lock_stock WHERE name = $1`, s.Name)
		switch {
		case err != nil:
			return false, err
		case left < int64(n):
			return false, SoldOut()
		}
		// An UPDATE that waits for the row looks again whether its newest version fits the condition.
		where, args := condition(version)
		changed, err := s.Options.ExecSQL(ctx, conn, `UPDATE lock_stock SET items = items - $2, version = version + 1 WHERE name = $1 AND `+where, append([]any{s.Name, n}, args...)...)
		if err != nil || changed == 0 {
			return false, err
		}
		return true, x.Serve(ctx, conn)
	})
}

// ID returns the order's ID.
func (x *Sale) ID() string { return x.id }
