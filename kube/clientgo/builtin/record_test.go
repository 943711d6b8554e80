package builtin_test

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/kube"
	"github.com/lockpick-dev/lockpick/kube/clientgo/builtin"
	"github.com/lockpick-dev/lockpick/kube/clientgo/electors"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
)

// TestTrackRecord: a leader is paused for longer than its Lease, and another takes that over. When the leader goes on it reads the
// Lease, for its version, and writes it without a holder: it does not look whose it is (v0.34 to v0.37; v0.38.0-beta.0 does).
// A third may then lead beside the second.
func TestTrackRecord(t *testing.T) {
	t.Run("successor", func(t *testing.T) {
		record(t, electors.Options{ReleaseOnCancel: true}, "gc-pause", "owner-only-release", locktest.Expect("gc-pause", "owner-only-release"))
	})
	// The renewal that the end of the context cancels is on its way. The release reads the Lease, and before it writes it the renewal is
	// carried out: the release is refused, and is not repeated (#137988). Version 0.37.2 repeats it.
	t.Run("conflict", func(t *testing.T) {
		record(t, electors.Options{ReleaseOnCancel: true, Silent: true}, "late-request", "no-orphan", locktest.Runs(8000), locktest.Expect("late-request", "no-orphan"))
	})
	t.Run("good", func(t *testing.T) {
		record(t, electors.Options{ReleaseOnCancel: true, Wrap: electors.KeepSuccessor}, "gc-pause", "owner-only-release")
	})
	// What version 0.26.0 does wrong is repaired: a candidate waits for as long as the leader's Lease lasts.
	t.Run("good/contention", func(t *testing.T) {
		newLock := func(c *cell.Client) lock.Locker {
			o := electors.Options{ReleaseOnCancel: true}
			if c.Name() == "c1" {
				o.LeaseDuration, o.RenewDeadline, o.RetryPeriod = time.Minute, 40*time.Second, 20*time.Second
			}
			return builtin.Elector(c, o)
		}
		locktest.Check(t, newLock, locktest.On(kube.Store), locktest.Ownership(kube.Holder("default")), locktest.Renews(),
			locktest.Only("contention"), locktest.Properties("mutual-exclusion"), locktest.Runs(300))
	})
	// What version 0.33.2 does wrong is repaired.
	t.Run("good/late-reply", func(t *testing.T) {
		record(t, electors.Options{ReleaseOnCancel: true, Silent: true}, "late-reply", "no-orphan")
	})
}

// record searches an elector for one thing.
func record(t *testing.T, o electors.Options, scenario, property string, more ...locktest.Option) {
	newLock := func(c *cell.Client) lock.Locker { return builtin.Elector(c, o) }
	locktest.Check(t, newLock, append([]locktest.Option{
		locktest.On(kube.Store), locktest.Ownership(kube.Holder("default")), locktest.Renews(), locktest.Only(scenario), locktest.Properties(property), locktest.Runs(300),
	}, more...)...)
}
