package sqllocks

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
)

// The tables of the locks.
const (
	// rowsTable has a row for each lock that is held ([Unique]).
	rowsTable = `CREATE TABLE IF NOT EXISTS lock_owners (
	name VARCHAR(191) NOT NULL PRIMARY KEY,
	owner VARCHAR(64) NOT NULL
)`
	// leasesTable has a row for each lock, with its present lease ([Lease], [ValueLease]).
	leasesTable = `CREATE TABLE IF NOT EXISTS lock_leases (
	name VARCHAR(191) NOT NULL PRIMARY KEY,
	owner VARCHAR(64) NOT NULL,
	expires DATETIME(6) NOT NULL,
	version BIGINT NOT NULL
)`
	// anchorsTable has a row for each row lock ([Row]).
	anchorsTable = `CREATE TABLE IF NOT EXISTS lock_rows (
	name VARCHAR(191) NOT NULL PRIMARY KEY
)`
	// stockTable and ordersTable have the stocks, and the orders served from them.
	stockTable = `CREATE TABLE IF NOT EXISTS lock_stock (
	name VARCHAR(191) NOT NULL PRIMARY KEY,
	items BIGINT NOT NULL,
	version BIGINT NOT NULL
)`
	ordersTable = `CREATE TABLE IF NOT EXISTS lock_orders (
	id VARCHAR(64) NOT NULL PRIMARY KEY,
	name VARCHAR(191) NOT NULL,
	items BIGINT NOT NULL
)`
)

// Schema returns the statements that create the tables of this package where they do not
// exist, for programs that create their tables by other means. The engine must be InnoDB,
// which is the default.
func Schema() []string {
	return slices.Clone([]string{rowsTable, leasesTable, anchorsTable, stockTable, ordersTable})
}

// Create creates the tables of this package where they do not exist. It is for one
// process, before the others begin.
func Create(ctx context.Context, db *sql.DB) error {
	for _, statement := range Schema() {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("sqllocks: create tables: %w", err)
		}
	}
	return nil
}
