package main

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"

	"github.com/golang-migrate/migrate/v4"
	migratemysql "github.com/golang-migrate/migrate/v4/database/mysql"
	"github.com/golang-migrate/migrate/v4/source/iofs"

	"github.com/lockpick-dev/lockpick/cell"
)

var golangMigrate = library{
	module: "github.com/golang-migrate/migrate/v4",
	program: migration(
		cell.Program{ID: "golang-migrate", Summary: "golang-migrate/migrate: migrations under a named lock of MySQL"},
		"SELECT COUNT(*) FROM schema_migrations WHERE version = 2 AND dirty = FALSE", migrateUp),
	expected: violates("golang-migrate", "The lock and the migrations have one connection, and a migration that does not end is noted before it begins."),
}

func migrateUp(p *cell.Process, db *sql.DB) error {
	ctx, end := context.WithCancel(p.Context())
	defer end()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	files, err := iofs.New(endingFiles{migrationFiles("", ".up.sql"), ctx}, ".")
	if err != nil {
		return err
	}
	to, err := migratemysql.WithConnection(ctx, conn, &migratemysql.Config{})
	if err == nil {
		m, _ := migrate.NewWithInstance("iofs", files, "mysql", to) // has no error
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

// endingFiles are files that nobody reads any more when the context has ended: the goroutine that reads a migration ahead
// otherwise waits for ever when the tool fails before it.
type endingFiles struct {
	fs.ReadDirFS
	ctx context.Context
}

func (f endingFiles) Open(name string) (fs.File, error) {
	file, err := f.ReadDirFS.Open(name)
	return endingFile{file, f.ctx}, err
}

type endingFile struct {
	fs.File
	ctx context.Context
}

// Read leaves everything to WriteTo.
func (endingFile) Read([]byte) (int, error) { return 0, io.EOF }

// WriteTo writes to the pipe to the tool.
func (f endingFile) WriteTo(w io.Writer) (int64, error) {
	defer context.AfterFunc(f.ctx, func() { _ = w.(io.Closer).Close() })()
	return io.Copy(w, struct{ io.Reader }{f.File})
}
