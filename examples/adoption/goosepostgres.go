package main

import (
	"database/sql"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/lockpick-dev/lockpick/cell"
)

var goosePostgres = library{
	module: "github.com/pressly/goose/v3",
	program: migrationPostgres(
		cell.Program{ID: "goose-postgres", Summary: "pressly/goose: migrations under an advisory lock of PostgreSQL's session"},
		"SELECT COUNT(*) FROM goose_db_version WHERE version_id = 2", goosePostgresUp),
	expected: violates("goose-postgres", "The lock and the migrations have one connection, and a migration is noted in its own transaction."),
}

func goosePostgresUp(p *cell.Process, db *sql.DB) error {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 60))
	if err != nil {
		return err
	}
	files := migrationFilesOf("-- +goose Up\n", ".sql", createAccountsPostgres)
	tool, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	_, err = tool.Up(p.Context())
	return err
}
