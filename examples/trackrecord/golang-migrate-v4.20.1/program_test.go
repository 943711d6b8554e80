package migrate_test

import (
	"errors"
	"testing/fstest"

	"github.com/golang-migrate/migrate/v4"
	migratepostgres "github.com/golang-migrate/migrate/v4/database/postgres"
	"github.com/golang-migrate/migrate/v4/source/iofs"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/postgres"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// calm is the rule.
const calm = "a process that waits for the migrations of another does not fail"

// migrations build an index without a lock of the table.
var migrations = fstest.MapFS{
	"1_accounts.up.sql": {Data: []byte("CREATE TABLE accounts (id SERIAL PRIMARY KEY, name VARCHAR(20) NOT NULL)")},
	"2_names.up.sql":    {Data: []byte("CREATE INDEX CONCURRENTLY names ON accounts (name)")},
}

// migrating migrates in each of its processes.
var migrating = cell.Program{
	ID: "golang-migrate-index", Summary: "golang-migrate builds an index while another waits for its lock",
	Stores: []stage.Store{postgres.Store}, Rules: []program.Rule{program.Always(calm)}, Main: migrateUp,
}

func migrateUp(p *cell.Process) error {
	conn, err := postgres.PQ(p).Conn(p.Context())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	files, err := iofs.New(migrations, ".")
	if err != nil {
		return err
	}
	to, err := migratepostgres.WithConnection(p.Context(), conn, &migratepostgres.Config{})
	if err == nil {
		m, _ := migrate.NewWithInstance("iofs", files, "postgres", to) // has no error
		err = m.Up()
	}
	if errors.Is(err, migrate.ErrNoChange) {
		err = nil
	}
	p.Always(err == nil, calm, err)
	return nil
}
