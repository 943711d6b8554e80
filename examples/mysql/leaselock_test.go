package leaselock_test

import (
	"context"
	"errors"
	"testing"

	"github.com/lockpick-dev/lockpick/examples/mysql"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/mysql"
)

func TestLock(t *testing.T) {
	scenarios.Check(t, func(c *scenarios.Client) lock.Locker {
		return adapter{leaselock.New(mysql.Connect(c), c.LockName(), c.TTL())}
	}, scenarios.On(mysql.Schema(leaselock.Table)), scenarios.Ownership(row))
}

// row is how it is read who has the lock, and until when.
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
