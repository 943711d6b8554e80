package recipe

import (
	"context"
	"database/sql"
)

// NewQueue returns a stock with a row for each item.
func NewQueue(db *sql.DB, name string, o *Options) Stock {
	return Stock{
		DB: db, Name: name, Options: o,
		Fills: `WITH filled AS (INSERT INTO lock_stock (name, items, version) VALUES ($1, $2, 0) ON CONFLICT DO NOTHING RETURNING items)
INSERT INTO lock_items (name, item) SELECT $1, i FROM generate_series(1, $2) AS i WHERE EXISTS (SELECT 1 FROM filled)`,
		Counts: `SELECT count(*) FROM lock_items WHERE name = $1 AND buyer = ''`,
	}
}

// SoldOutUnless returns the error of an order for n items unless there are as many, which others may have
// locked.
func (s *Stock) SoldOutUnless(ctx context.Context, conn *sql.Conn, n int) error {
	var left int
	err := s.Options.RowSQL(ctx, conn, []any{&left}, s.Counts, s.Name)
	if err == nil && left < n {
		err = SoldOut()
	}
	return err
}
