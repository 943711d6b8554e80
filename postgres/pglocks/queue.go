package pglocks

import (
	"context"
	"database/sql"

	"github.com/lockpick-dev/lockpick/postgres/pglocks/internal/recipe"
)

// Queue is a stock with a row for each item, as a table of jobs is: an order selects the first items that
// nobody works on, by FOR UPDATE SKIP LOCKED, and deletes them in the same transaction when it is served.
// Orders do not wait for each other as long as there are enough items.
//
// It never sells an item twice, as long as the database loses no commit: a failover sells the items of lost
// orders again (scenario failover-loss, property linearizable). An order that breaks off gives its items
// back, since its transaction is rolled back.
//
// If too few items are free, others may be about to give some back: the order then counts all items, and
// tries again unless there are too few. A COMMIT whose answer was lost is looked up by its order.
//
// Requests: 6 an order (BEGIN with SET LOCAL, SELECT, INSERT, DELETE, COMMIT, and the order's own), and 4
// for each time that others have too many.
type Queue struct{ stock }

// NewQueue returns the queue of the given name, by a pool of pgx. It is safe for concurrent use. [Create]
// makes its tables.
func NewQueue(db *sql.DB, name string, options Options) *Queue {
	return &Queue{recipe.NewQueue(db, name, options.recipe())}
}

// Sell takes n items for an order. It returns [lock.ErrSoldOut] when there are fewer, and waits while others
// have them, until ctx is done.
func (s *Queue) Sell(ctx context.Context, n int, order func(context.Context) error) error {
	return s.stock.Sell(ctx, n, order, func(ctx context.Context, x *recipe.Sale, conn *sql.Conn) (bool, error) {
		items, err := s.free(ctx, conn, n)
		switch {
		case err != nil:
			return false, err
		case len(items) < n:
			return false, s.SoldOutUnless(ctx, conn, n)
		}
		if err := x.Serve(ctx, conn); err != nil {
			return false, err
		}
		_, err = s.Options.ExecSQL(ctx, conn, `DELETE FROM lock_items WHERE name = $1 AND item = ANY($2)`, s.Name, items)
		return true, err
	})
}

// free locks the first n items that nobody else has, or as many as there are.
func (s *Queue) free(ctx context.Context, conn *sql.Conn, n int) (items []int64, err error) {
	err = s.Options.Within(ctx, s.Options.Patience, func(ctx context.Context) error {
		rows, err := conn.QueryContext(ctx, `SELECT item FROM lock_items WHERE name = $1 ORDER BY item LIMIT $2 FOR UPDATE SKIP LOCKED`, s.Name, n)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var item int64
			if err := rows.Scan(&item); err != nil {
				return err
			}
			items = append(items, item)
		}
		return rows.Err()
	})
	return items, err
}
