package main

import (
	"context"
	"database/sql"
	"errors"

	"github.com/golang-migrate/migrate/v4"
	migratepostgres "github.com/golang-migrate/migrate/v4/database/postgres"
	"github.com/golang-migrate/migrate/v4/source/iofs"

	"github.com/lockpick-dev/lockpick/cell"
)

var golangMigratePostgres = library{
	module: "github.com/golang-migrate/migrate/v4",
	program: migrationPostgres(
		cell.Program{ID: "golang-migrate-postgres", Summary: "golang-migrate/migrate: migrations under an advisory lock of PostgreSQL's session"},
		"SELECT COUNT(*) FROM schema_migrations WHERE version = 2 AND NOT dirty", migrateUpPostgres),
	expected: violates("golang-migrate-postgres", "The lock and the migrations have one connection, and a migration that does not end is noted before it begins."),
}

func migrateUpPostgres(p *cell.Process, db *sql.DB) error {
	ctx, end := context.WithCancel(p.Context())
	defer end()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	files, err := iofs.New(endingFiles{migrationFilesOf("", ".up.sql", createAccountsPostgres), ctx}, ".")
	if err != nil {
		return err
	}
	to, err := migratepostgres.WithConnection(ctx, conn, &migratepostgres.Config{})
	if err == nil {
		m, _ := migrate.NewWithInstance("iofs", files, "postgres", to) // has no error
		err = m.Up()
	}
	if !errors.Is(err, migrate.ErrLockTimeout) { // otherwise it still waits for the lock, and so would this
		_ = conn.Close()
	}
	if errors.Is(err, migrate.ErrNoChange) {
		return nil
	}
	return err
}
