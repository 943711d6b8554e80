package pglocks

import (
	"context"
	"database/sql"

	"github.com/lockpick-dev/lockpick/postgres/pglocks/internal/recipe"
)

// PessimisticStock is a stock in a row that is locked by SELECT ... FOR UPDATE while an order is served (the
// literature's example of a pessimistic lock: a flash sale). The items are in the same database and change
// in the lock's own transaction: when the connection breaks, and the lock with it, nothing was sold.
//
// It never sells more than there is, as long as the database loses no commit: a failover sells the items of
// lost orders again (scenario failover-loss, property linearizable). A COMMIT whose answer was lost is
// looked up by its order. If the order is not there Sell returns the error, as the COMMIT may still arrive.
//
// Requests: 6 an order (BEGIN with SET LOCAL, SELECT, INSERT, UPDATE, COMMIT, and the order's own).
type PessimisticStock struct{ stock }

// NewPessimisticStock returns the stock of the given name, by a pool of pgx or lib/pq. It is safe for
// concurrent use. [Create] makes its tables.
func NewPessimisticStock(db *sql.DB, name string, options Options) *PessimisticStock {
	return &PessimisticStock{stock{DB: db, Name: name, Options: options.recipe()}}
}

// Sell takes n items for an order. It returns [lock.ErrSoldOut] when there are fewer, and waits while others
// have the row, until ctx is done.
func (s *PessimisticStock) Sell(ctx context.Context, n int, order func(context.Context) error) error {
	return s.stock.Sell(ctx, n, order, func(ctx context.Context, x *recipe.Sale, conn *sql.Conn) (bool, error) {
		var left int
		err := conn.QueryRowContext(ctx, `SELECT items FROM lock_stock WHERE name = $1 FOR UPDATE`, s.Name).Scan(&left)
		if err != nil {
			return false, err
		}
		if left < n {
			return false, recipe.SoldOut()
		}
		if err := x.Serve(ctx, conn); err != nil {
			return false, err
		}
		_, err = s.Options.ExecSQL(ctx, conn, `UPDATE lock_stock SET items = items - $2, version = version + 1 WHERE name = $1`, s.Name, n)
		return true, err
	})
}
