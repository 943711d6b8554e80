package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/postgres"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// createAccountsPostgres is createAccounts in the words of PostgreSQL.
const createAccountsPostgres = "CREATE TABLE IF NOT EXISTS accounts (id SERIAL PRIMARY KEY, name VARCHAR(20) NOT NULL)"

// migrationPostgres makes a program of a tool, as migration does.
func migrationPostgres(p cell.Program, noted string, migrate func(p *cell.Process, db *sql.DB) error) cell.Program {
	if p.Stores == nil {
		p.Stores = []stage.Store{postgres.Store}
	}
	p.Main = func(p *cell.Process) error {
		db := postgres.PQ(p)
		for p.Context().Err() == nil {
			err := migrate(p, db)
			if err == nil {
				return nil
			}
			p.Event("fails", err)
			p.Clock().Sleep(time.Second)
		}
		return nil
	}
	p.Finally = func(p *cell.Process) error {
		db := postgres.PQ(p)
		opened, err := countRowsPostgres(p.Context(), db, "SELECT COUNT(*) FROM accounts")
		if err != nil {
			return err
		}
		times, err := countRowsPostgres(p.Context(), db, noted)
		switch {
		case err != nil:
			return err
		case opened > 1 || opened < times:
			return fmt.Errorf("the second migration was applied %d times, and is noted %d times", opened, times)
		}
		return nil
	}
	return p
}

// countRowsPostgres is the number that a query has found, 0 if there is no such table.
func countRowsPostgres(ctx context.Context, db *sql.DB, query string) (n int, err error) {
	err = db.QueryRowContext(ctx, query).Scan(&n)
	if missing := new(pq.Error); errors.As(err, &missing) && missing.Code == pqerror.UndefinedTable {
		return 0, nil
	}
	return n, err
}
