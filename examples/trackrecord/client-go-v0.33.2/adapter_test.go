package clientgo_test

import (
	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/kube/clientgo/builtin"
	"github.com/lockpick-dev/lockpick/kube/clientgo/electors"
	"github.com/lockpick-dev/lockpick/lock"
)

// newLock is an elector that releases the Lease at the end, and does not say whether it did.
func newLock(c *cell.Client) lock.Locker {
	return builtin.Elector(c, electors.Options{ReleaseOnCancel: true, Silent: true})
}
