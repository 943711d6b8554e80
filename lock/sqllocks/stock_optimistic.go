package sqllocks

import (
	"context"
	"database/sql"
)

// OptimisticStock is a stock in a row with a version: an order reads both, and takes the
// items by an UPDATE that succeeds only if the version is still the same. Who loses tries
// again.
//
// It never sells more than there is, as long as the database loses no commit (failover-loss,
// linearizable). Failures grow with contention. A COMMIT whose answer was lost is looked up
// by its order, as with [PessimisticStock].
//
// Requests: 6 an order, and 4 for each time that another was faster (BEGIN, SELECT, UPDATE,
// ROLLBACK).
type OptimisticStock struct{ stock }

// NewOptimisticStock returns the stock of the given name. It is safe for concurrent use.
// [Create] makes its tables.
func NewOptimisticStock(db *sql.DB, name string, options Options) *OptimisticStock {
	return &OptimisticStock{stock{db, name, options.withDefaults()}}
}

// Sell takes n items for an order. It returns [lock.ErrSoldOut] when there are fewer.
func (s *OptimisticStock) Sell(ctx context.Context, n int, order func(context.Context) error) error {
	return s.sellIf(ctx, n, order, func(version int64) (string, []any) { return `version = ?`, []any{version} })
}

// sellIf sells if a condition holds when the items are taken. It is told the version that
// was read.
func (s *stock) sellIf(ctx context.Context, n int, order func(context.Context) error, condition func(version int64) (string, []any)) error {
	return s.sell(ctx, n, order, func(ctx context.Context, x *sale, conn *sql.Conn) (bool, error) {
		var left, version int64
		// The snapshot is made by this read, so that it shows the newest commit. The UPDATE
		// compares with the newest commit then.
		err := s.options.row(ctx, conn, []any{&left, &version}, `SELECT items, version FROM lock_stock WHERE name = ?`, s.name)
		switch {
		case err != nil:
			return false, err
		case left < int64(n):
			return false, soldOut()
		}
		where, args := condition(version)
		changed, err := s.options.exec(ctx, conn, `UPDATE lock_stock SET items = items - ?, version = version + 1 WHERE name = ? AND `+where, append([]any{n, s.name}, args...)...)
		if err != nil || changed == 0 {
			return false, err
		}
		return true, x.serve(ctx, conn)
	})
}

// PrintedStock is [OptimisticStock] as a widely read article prints it.
//
// Flawed: its UPDATE compares the column version with itself, and not with what was read
// ("where id=1, version=version", with AND for the comma, which is no SQL). The comparison
// always succeeds, and orders that have read the same number all take their items: it
// sells more than there is (scenario contention, property linearizable).
type PrintedStock struct{ stock }

// NewPrintedStock returns the stock of the given name. It is safe for concurrent use.
// [Create] makes its tables.
func NewPrintedStock(db *sql.DB, name string, options Options) *PrintedStock {
	return &PrintedStock{stock{db, name, options.withDefaults()}}
}

// Sell takes n items for an order, whether there are as many or not.
func (s *PrintedStock) Sell(ctx context.Context, n int, order func(context.Context) error) error {
	return s.sellIf(ctx, n, order, func(int64) (string, []any) { return `version = version`, nil })
}
