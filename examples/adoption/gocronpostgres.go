package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/go-co-op/gocron/v2"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/postgres"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

var gocronPostgres = library{
	module: "github.com/go-co-op/gocron/v2",
	program: cell.Program{
		ID: "gocron-postgres", Summary: "a job of go-co-op/gocron with an advisory lock of PostgreSQL", Flawed: true,
		Stores: []stage.Store{postgres.Store}, Rules: []program.Rule{program.AtMostOnce(runOnce, "run")},
		Main: func(p *cell.Process) error {
			return schedule(p, advisoryLocker{postgres.Connect(p)}, func(due string) { p.Effect("run", due) })
		},
	},
	expected: violates("gocron-postgres", "The lock ends with the job, so it does not keep an instance away whose clock is late, or whose question is.", slug(runOnce)),
}

// advisoryLocker is a locker of gocron that takes a session's advisory lock for each run of a job. Gocron has none for PostgreSQL.
type advisoryLocker struct{ db *sql.DB }

// Lock takes the lock if it is free. A connection that may have it after an error is closed.
func (l advisoryLocker) Lock(ctx context.Context, key string) (gocron.Lock, error) {
	conn, err := l.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	got := false
	if err = conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock(hashtext($1))", key).Scan(&got); err != nil {
		return nil, errors.Join(err, discard(conn))
	}
	if !got {
		return nil, errors.Join(errors.New("the lock is taken"), conn.Close())
	}
	return unlock(func(ctx context.Context) error {
		if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_unlock(hashtext($1))", key); err != nil {
			return errors.Join(err, discard(conn))
		}
		return conn.Close()
	}), nil
}

// discard closes a connection for good.
func discard(conn *sql.Conn) error {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	return conn.Close()
}
