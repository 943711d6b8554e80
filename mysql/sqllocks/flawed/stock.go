package flawed

import (
	"context"
	"database/sql"

	"github.com/lockpick-dev/lockpick/mysql/sqllocks"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks/internal/recipe"
)

// stock is a number of items in a row, and the orders that were served from it.
type stock = recipe.Stock

// PrintedStock is [sqllocks.OptimisticStock] as a widely read article prints it.
//
// Flawed: its UPDATE compares the column version with itself, and not with what was read
// ("where id=1, version=version", with AND for the comma, which is no SQL). The comparison
// always succeeds, and orders that have read the same number all take their items: it
// sells more than there is (scenario contention, property linearizable).
type PrintedStock struct{ stock }

// NewPrintedStock returns the stock of the given name. It is safe for concurrent use.
// [sqllocks.Create] makes its tables.
func NewPrintedStock(db *sql.DB, name string, options sqllocks.Options) *PrintedStock {
	return &PrintedStock{stock{DB: db, Name: name, Options: newOptions(options)}}
}

// Sell takes n items for an order, whether there are as many or not.
func (s *PrintedStock) Sell(ctx context.Context, n int, order func(context.Context) error) error {
	return recipe.SellIf(ctx, &s.stock, n, order, func(int64) (string, []any) { return `version = version`, nil })
}
