package flawed

import (
	"context"
	"database/sql"

	"github.com/lockpick-dev/lockpick/postgres/pglocks"
	"github.com/lockpick-dev/lockpick/postgres/pglocks/internal/recipe"
)

// stock is a number of items, and the orders that were served from it.
type stock = recipe.Stock

// PrintedStock is [pglocks.OptimisticStock] as a widely read article prints it.
//
// Flawed: its UPDATE compares the column version with itself, and not with what was read ("where
// id=1, version=version", with AND for the comma, which is no SQL). The comparison always succeeds, and
// orders that have read the same number all take their items: it sells more than there is (scenario
// contention, property linearizable).
type PrintedStock struct{ stock }

// NewPrintedStock returns the stock of the given name. It is safe for concurrent use. [pglocks.Create]
// makes its tables.
func NewPrintedStock(db *sql.DB, name string, options pglocks.Options) *PrintedStock {
	return &PrintedStock{stock{DB: db, Name: name, Options: newOptions(options)}}
}

// Sell takes n items for an order, whether there are as many or not.
func (s *PrintedStock) Sell(ctx context.Context, n int, order func(context.Context) error) error {
	return s.SellIf(ctx, n, order, func(int64) (string, []any) { return `version = version`, nil })
}

// UnlockedQueue is [pglocks.Queue] that chooses its items in a sub-select of its UPDATE, and without FOR
// UPDATE SKIP LOCKED.
//
// Flawed: the sub-select is evaluated once, and takes rows that another transaction has chosen and not yet
// committed. The UPDATE waits for that transaction, and then looks only whether the row is still the one that
// it has chosen, which it is: both orders have the item (scenario contention, property linearizable).
//
// Requests: 5 an order (BEGIN with SET LOCAL, UPDATE, INSERT, COMMIT, and the order's own).
type UnlockedQueue struct{ stock }

// NewUnlockedQueue returns the queue of the given name. It is safe for concurrent use. [pglocks.Create]
// makes its tables.
func NewUnlockedQueue(db *sql.DB, name string, options pglocks.Options) *UnlockedQueue {
	return &UnlockedQueue{recipe.NewQueue(db, name, newOptions(options))}
}

// Sell takes n items for an order. It returns [lock.ErrSoldOut] when there are fewer.
func (s *UnlockedQueue) Sell(ctx context.Context, n int, order func(context.Context) error) error {
	return s.stock.Sell(ctx, n, order, func(ctx context.Context, x *recipe.Sale, conn *sql.Conn) (bool, error) {
		r, err := conn.ExecContext(ctx, `UPDATE lock_items SET buyer = $2 WHERE name = $1 AND item = ANY (ARRAY(
SELECT item FROM lock_items WHERE name = $1 AND buyer = '' ORDER BY item LIMIT $3))`, s.Name, x.ID(), n)
		if err != nil {
			return false, err
		}
		if had, _ := r.RowsAffected(); had < int64(n) {
			return false, s.SoldOutUnless(ctx, conn, n)
		}
		return true, x.Serve(ctx, conn)
	})
}
