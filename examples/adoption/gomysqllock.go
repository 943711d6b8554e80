package main

import (
	"context"
	"errors"
	"time"

	gomysqllock "github.com/sanketplus/go-mysql-lock"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/mysql"
)

var goMySQLLock = library{
	module: "github.com/sanketplus/go-mysql-lock",
	lock: cell.Lock{ID: "go-mysql-lock", Summary: "sanketplus/go-mysql-lock: a named lock of MySQL, and a connection that is kept alive", Flawed: true,
		Store: mysql.Store, Subject: cell.Mutex(newGoMySQLLock)},
	expected: violates("go-mysql-lock", "Release reports success whatever the server answers. The adapter leaves out the question every second whether the connection lives, so its holder does not notice that it is broken, and works beside the next.",
		"truthful-release", "mutual-exclusion", "linearizable", "no-lost-update"),
}

// goMySQLLocker tries again after a time-out of the server's. The library's questions whether the connection lives are left out: a release that
// meets one waits in database/sql for a mutex, which no simulated time can pass.
type goMySQLLocker struct {
	*gomysqllock.MysqlLocker
	name string
}

func newGoMySQLLock(c *cell.Client) lock.Locker {
	db := mysql.Connect(c)
	db.SetMaxOpenConns(2)
	return goMySQLLocker{gomysqllock.NewMysqlLocker(db, gomysqllock.WithRefreshInterval(time.Hour)), c.LockName()}
}

func (l goMySQLLocker) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		held, err := l.ObtainTimeoutContext(ctx, l.name, 1)
		switch {
		case err == nil:
			return goMySQLLease{held}, nil
		case !errors.Is(err, gomysqllock.ErrMySQLTimeout):
			return nil, err
		case ctx.Err() != nil:
			return nil, ctx.Err()
		}
	}
}

type goMySQLLease struct{ held *gomysqllock.Lock }

func (l goMySQLLease) Release(context.Context) error { return l.held.Release() }
