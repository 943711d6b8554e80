package main

import (
	"database/sql"

	"github.com/go-gormigrate/gormigrate/v2"
	gormmysql "gorm.io/driver/mysql"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/mysql"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

var gormigrateLibrary = library{
	module: "github.com/go-gormigrate/gormigrate/v2",
	program: migration(
		cell.Program{ID: "gormigrate", Summary: "go-gormigrate/gormigrate: migrations of gorm, which it does not lock", Flawed: true,
			// Its table is there: with another process that makes it, gorm asks for columns, which the simulated server does not show.
			Stores: []stage.Store{mysql.Schema("CREATE TABLE migrations (id VARCHAR(255) NOT NULL PRIMARY KEY)")}},
		"SELECT COUNT(*) FROM migrations WHERE id = '2'", gormigrateUp),
	expected: violates("gormigrate", "It has no lock, as its README says, and by default no transaction: what a migration has done stays when its unique row is there already. After an error of the server's, gorm takes a table for missing.",
		endsWell),
}

func gormigrateUp(p *cell.Process, db *sql.DB) error {
	tool, err := gorm.Open(gormmysql.New(gormmysql.Config{Conn: db}), &gorm.Config{Logger: logger.Discard})
	if err != nil {
		return err
	}
	apply := func(statement string) gormigrate.MigrateFunc {
		return func(tx *gorm.DB) error { return tx.Exec(statement).Error }
	}
	return gormigrate.New(tool.WithContext(p.Context()), gormigrate.DefaultOptions, []*gormigrate.Migration{
		{ID: "1", Migrate: apply(createAccounts)},
		{ID: "2", Migrate: apply(openAccount)},
	}).Migrate()
}
