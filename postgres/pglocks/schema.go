package pglocks

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
)

// The tables of the locks.
const (
	// leasesTable has a row for each lock, with its present lease ([Lease], [Notify]).
	leasesTable = `CREATE TABLE IF NOT EXISTS lock_leases (
	name text PRIMARY KEY,
	owner text NOT NULL,
	version bigint NOT NULL,
	expires timestamptz NOT NULL
)`
	// rowsTable has a row for each row lock ([Row]).
	rowsTable = `CREATE TABLE IF NOT EXISTS lock_rows (
	name text PRIMARY KEY
)`
	// stockTable and itemsTable have the stocks, in one row and in a row for each item ([Queue]); ordersTable
	// has the orders that were served from them.
	stockTable = `CREATE TABLE IF NOT EXISTS lock_stock (
	name text PRIMARY KEY,
	items bigint NOT NULL,
	version bigint NOT NULL
)`
	itemsTable = `CREATE TABLE IF NOT EXISTS lock_items (
	name text NOT NULL,
	item bigint NOT NULL,
	buyer text NOT NULL DEFAULT '',
	PRIMARY KEY (name, item)
)`
	ordersTable = `CREATE TABLE IF NOT EXISTS lock_orders (
	id text PRIMARY KEY,
	name text NOT NULL,
	items bigint NOT NULL
)`
)

// Schema returns the statements that create the tables of this package where they do not exist, for
// programs that create their tables by other means.
func Schema() []string {
	return slices.Clone([]string{leasesTable, rowsTable, stockTable, itemsTable, ordersTable})
}

// A Database runs statements: a pool or a connection of pgx.
type Database interface {
	Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error)
}

// Create creates the tables of this package where they do not exist. It is for one process, before the
// others begin.
func Create(ctx context.Context, db Database) error {
	for _, statement := range Schema() {
		if _, err := db.Exec(ctx, statement); err != nil {
			return fmt.Errorf("pglocks: create tables: %w", err)
		}
	}
	return nil
}
