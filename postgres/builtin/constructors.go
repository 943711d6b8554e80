package builtin

import (
	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/postgres/pglocks"
	"github.com/lockpick-dev/lockpick/postgres/pglocks/flawed"
)

// Each lock has a pool of pgxpool of its own. The constructors have names, so that simrun export can copy them.

func newAdvisory(c *cell.Client) lock.Locker {
	return pglocks.NewAdvisory(pool(c), c.LockName(), options(c))
}

func newAdvisoryXact(c *cell.Client) lock.Locker {
	return pglocks.NewAdvisoryXact(pool(c), c.LockName(), options(c))
}

func newRow(c *cell.Client) lock.Locker {
	return pglocks.NewRow(pool(c), c.LockName(), options(c))
}

func newLease(c *cell.Client) lock.Locker {
	return pglocks.NewLease(pool(c), c.LockName(), options(c))
}

func newNotify(c *cell.Client) lock.Locker {
	return pglocks.NewNotify(pool(c), c.LockName(), options(c))
}

func newPooledAdvisory(c *cell.Client) lock.Locker {
	return flawed.NewPooledAdvisory(pool(c), c.LockName(), options(c))
}

func newCancelledAdvisory(c *cell.Client) lock.Locker {
	return flawed.NewCancelledAdvisory(pool(c), c.LockName(), options(c))
}

func newUpsertLease(c *cell.Client) lock.Locker {
	return flawed.NewUpsertLease(pool(c), c.LockName(), options(c))
}

func newExcludedLease(c *cell.Client) lock.Locker {
	return flawed.NewExcludedLease(pool(c), c.LockName(), options(c))
}

func newReelectedLease(c *cell.Client) lock.Locker {
	return flawed.NewReelectedLease(pool(c), c.LockName(), options(c))
}
