package clientgo_test

import (
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/kube/clientgo/builtin"
	"github.com/lockpick-dev/lockpick/kube/clientgo/electors"
	"github.com/lockpick-dev/lockpick/lock"
)

// newLock is an elector. That of the first client has a Lease of a minute, and renews it each 20 s, as when another configuration
// is rolled out.
func newLock(c *cell.Client) lock.Locker {
	o := electors.Options{ReleaseOnCancel: true}
	if c.Name() == "c1" {
		o.LeaseDuration, o.RenewDeadline, o.RetryPeriod = time.Minute, 40*time.Second, 20*time.Second
	}
	return builtin.Elector(c, o)
}
