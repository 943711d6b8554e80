package main

import (
	"database/sql"

	"github.com/pressly/goose/v3"

	"github.com/lockpick-dev/lockpick/cell"
)

var gooseLibrary = library{
	module: "github.com/pressly/goose/v3",
	program: migration(
		cell.Program{ID: "goose", Summary: "pressly/goose: migrations, which it locks in PostgreSQL alone", Flawed: true},
		"SELECT COUNT(*) FROM goose_db_version WHERE version_id = 2", gooseUp),
	expected: violates("goose", "It has no lock for MySQL, and its table of versions may have one twice: both processes find the same migrations to apply.",
		endsWell),
}

func gooseUp(p *cell.Process, db *sql.DB) error {
	tool, err := goose.NewProvider(goose.DialectMySQL, db, migrationFiles("-- +goose Up\n", ".sql"), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	_, err = tool.Up(p.Context())
	return err
}
