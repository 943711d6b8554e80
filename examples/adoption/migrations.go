package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"testing/fstest"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/mysql"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// The migrations: the second may be applied once, and not without the first.
const (
	createAccounts = "CREATE TABLE IF NOT EXISTS accounts (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20) NOT NULL)"
	openAccount    = "INSERT INTO accounts (name) VALUES ('first')"
)

// endsWell is the property that Finally checks.
const endsWell = "what-finally-asks-holds-at-the-end"

// migrationFiles are the migrations as files with a beginning, whose names end so.
func migrationFiles(begin, end string) fs.ReadDirFS {
	return migrationFilesOf(begin, end, createAccounts)
}

// migrationFilesOf has another first migration.
func migrationFilesOf(begin, end, first string) fs.ReadDirFS {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(begin + text + ";\n")} }
	return fstest.MapFS{"1_accounts" + end: file(first), "2_first" + end: file(openAccount)}
}

// migration makes a program of a tool: two processes migrate at once, and each does again when that fails. The query
// counts how often the tool has noted that the second migration is applied.
func migration(p cell.Program, noted string, migrate func(p *cell.Process, db *sql.DB) error) cell.Program {
	connect := func(p *cell.Process) *sql.DB {
		return mysql.ConnectWith(p, func(c *driver.Config) { c.ParseTime = true })
	}
	if p.Stores == nil {
		p.Stores = []stage.Store{mysql.Store}
	}
	p.Main = func(p *cell.Process) error {
		db := connect(p)
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
		db := connect(p)
		opened, err := countRows(p.Context(), db, "SELECT COUNT(*) FROM accounts")
		if err != nil {
			return err
		}
		times, err := countRows(p.Context(), db, noted)
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

// countRows is the number that a query has found, 0 if there is no such table.
func countRows(ctx context.Context, db *sql.DB, query string) (n int, err error) {
	err = db.QueryRowContext(ctx, query).Scan(&n)
	if missing := new(driver.MySQLError); errors.As(err, &missing) && missing.Number == 1146 {
		return 0, nil
	}
	return n, err
}
