package leaselock_test

import (
	"context"
	"errors"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/examples/mysql"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/mysql"
)

func TestLock(t *testing.T) {
	locktest.Check(t, func(c *cell.Client) lock.Locker {
		return adapter{leaselock.New(mysql.Connect(c), c.LockName(), c.TTL())}
	}, locktest.On(mysql.Schema(leaselock.Table)), locktest.Ownership(row))
}

// row names the columns with the owner of the lock and the end of its lease.
var row = mysql.RowOwnership{Table: "leases", Owner: "owner", Expires: "expires"}

// adapter says the same in the words of package lock.
type adapter struct{ of *leaselock.Lock }

func (a adapter) Acquire(ctx context.Context) (lock.Lease, error) {
	h, err := a.of.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	return lease{h}, nil
}

type lease struct{ *leaselock.Lease }

func (l lease) Release(ctx context.Context) error {
	err := l.Lease.Release(ctx)
	if errors.Is(err, leaselock.ErrLost) {
		return lock.ErrNotHeld
	}
	return err
}
