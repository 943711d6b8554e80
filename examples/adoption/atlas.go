package main

import (
	"context"
	"database/sql"
	"errors"
	"time"

	atlasmysql "ariga.io/atlas/sql/mysql"
	"ariga.io/atlas/sql/schema"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/mysql"
)

var atlasLibrary = library{
	module: "ariga.io/atlas",
	lock: cell.Lock{ID: "atlas", Summary: "ariga.io/atlas: the lock of its driver for MySQL, which migrations run under", Flawed: true,
		Store: mysql.Store, Subject: cell.Mutex(func(c *cell.Client) lock.Locker { return atlasLocker{mysql.Connect(c), c.LockName()} })},
	expected: violates("atlas", "What gives the lock up asks with the context of Lock: when that has ended it asks nothing, and the connection goes back to its pool with the lock. Nothing says when the connection has broken, and a driver is opened without a context.",
		"progress", "no-orphan", "mutual-exclusion", "linearizable", "no-lost-update", "prompt-cancel"),
}

// atlasLocker opens a driver for each acquisition, as a command does that migrates. It tries again after a time-out of the server's.
type atlasLocker struct {
	db   *sql.DB
	name string
}

func (l atlasLocker) Acquire(ctx context.Context) (lock.Lease, error) {
	d, err := atlasmysql.Open(l.db)
	if err != nil {
		return nil, err
	}
	for {
		unlock, err := d.Lock(ctx, l.name, time.Second)
		switch {
		case err == nil:
			return atlasLease(unlock), nil
		case !errors.Is(err, schema.ErrLocked):
			return nil, err
		case ctx.Err() != nil:
			return nil, ctx.Err()
		}
	}
}

type atlasLease schema.UnlockFunc

func (unlock atlasLease) Release(context.Context) error { return unlock() }
