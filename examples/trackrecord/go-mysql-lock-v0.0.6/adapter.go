// Package adapter has sanketplus/go-mysql-lock as a lock. The modules of v0.0.6 and v0.0.7 share it.
package adapter

import (
	"context"
	"errors"
	"time"

	gomysqllock "github.com/sanketplus/go-mysql-lock"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/mysql"
)

// locker obtains the library's lock with a time-out of the server's, and tries again after
// that, as programs do that look up now and then. Its pool has two connections. The library's
// questions whether the connection lives are left out: a release that meets one waits in
// database/sql for a mutex, which no simulated time can pass.
type locker struct {
	library *gomysqllock.MysqlLocker
	name    string
}

// NewLock returns the lock of a client.
func NewLock(c *cell.Client) lock.Locker {
	db := mysql.Connect(c)
	db.SetMaxOpenConns(2)
	return locker{gomysqllock.NewMysqlLocker(db, gomysqllock.WithRefreshInterval(time.Hour)), c.LockName()}
}

// seconds is how long the server waits for the lock.
const seconds = 1

func (l locker) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		held, err := l.library.ObtainTimeoutContext(ctx, l.name, seconds)
		switch {
		case err == nil:
			return lease{held}, nil
		case !errors.Is(err, gomysqllock.ErrMySQLTimeout):
			return nil, err
		case ctx.Err() != nil:
			return nil, ctx.Err()
		}
	}
}

type lease struct{ *gomysqllock.Lock }

func (l lease) Release(context.Context) error { return l.Lock.Release() }
