package main

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/mysqldialect"
	"github.com/uptrace/bun/migrate"

	"github.com/lockpick-dev/lockpick/cell"
)

var bunLibrary = library{
	module: "github.com/uptrace/bun",
	program: migration(
		cell.Program{ID: "bun", Summary: "uptrace/bun: migrations while a unique row of its table is there", Flawed: true},
		"SELECT COUNT(*) FROM bun_migrations WHERE name = '2'", bunUp),
	expected: violates("bun", "It notes a migration before it applies it, so one that failed is passed over afterwards. Its lock outlives its process.", endsWell),
}

func bunUp(p *cell.Process, db *sql.DB) error {
	migrations := migrate.NewMigrations()
	if err := migrations.Discover(migrationFiles("", ".up.sql")); err != nil {
		return err
	}
	tool := migrate.NewMigrator(bun.NewDB(db, mysqldialect.New()), migrations)
	if err := tool.Init(p.Context()); err != nil {
		return err
	}
	if err := tool.Lock(p.Context()); err != nil {
		return err
	}
	defer func() { _ = tool.Unlock(context.WithoutCancel(p.Context())) }()
	_, err := tool.Migrate(p.Context())
	return err
}
