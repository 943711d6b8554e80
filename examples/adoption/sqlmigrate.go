package main

import (
	"database/sql"

	migrate "github.com/rubenv/sql-migrate"

	"github.com/lockpick-dev/lockpick/cell"
)

var sqlMigrate = library{
	module: "github.com/rubenv/sql-migrate",
	program: migration(
		cell.Program{ID: "sql-migrate", Summary: "rubenv/sql-migrate: a migration in a transaction that inserts its unique row", Flawed: true},
		"SELECT COUNT(*) FROM gorp_migrations WHERE id = '2'", sqlMigrateUp),
	expected: violates("sql-migrate", "It has no lock, and CREATE TABLE commits its transaction: what follows is not taken back when the row is there already.",
		endsWell),
}

func sqlMigrateUp(p *cell.Process, db *sql.DB) error {
	source := &migrate.MemoryMigrationSource{Migrations: []*migrate.Migration{
		{Id: "1", Up: []string{createAccounts}},
		{Id: "2", Up: []string{"CREATE TABLE IF NOT EXISTS closed (id INT PRIMARY KEY)", openAccount}},
	}}
	_, err := migrate.ExecContext(p.Context(), db, "mysql", source, migrate.Up)
	return err
}
