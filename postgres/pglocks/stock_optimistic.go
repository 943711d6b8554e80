package pglocks

import (
	"context"
	"database/sql"

	"github.com/lockpick-dev/lockpick/postgres/pglocks/internal/recipe"
)

// stock is a number of items, and the orders that were served from it.
type stock = recipe.Stock

// OptimisticStock is a stock in a row with a version: an order reads both, and takes the items by an UPDATE
// that succeeds only if the version is still the same. An order that loses the race tries again.
//
// It never sells more than there is, as long as the database loses no commit (failover-loss, linearizable).
// Failures grow with contention. A COMMIT whose answer was lost is looked up by its order, as with
// [PessimisticStock].
//
// Requests: 6 an order, and 4 for each time that another was faster (BEGIN, SELECT, UPDATE, ROLLBACK).
type OptimisticStock struct{ stock }

// NewOptimisticStock returns the stock of the given name, by a pool of pgx or lib/pq. It is safe for
// concurrent use. [Create] makes its tables.
func NewOptimisticStock(db *sql.DB, name string, options Options) *OptimisticStock {
	return &OptimisticStock{stock{DB: db, Name: name, Options: options.recipe()}}
}

// Sell takes n items for an order. It returns [lock.ErrSoldOut] when there are fewer.
func (s *OptimisticStock) Sell(ctx context.Context, n int, order func(context.Context) error) error {
	return s.SellIf(ctx, n, order, func(version int64) (string, []any) { return `version = $3`, []any{version} })
}
