package redsync_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
)

// TestRedsync puts the lock into every scenario. Faults of the lock fail, but
// for those that are known; what no lease can prevent does not.
//
// All tries of one LockContext have the same value. A clean-up of an earlier
// try that is late on its way deletes the key of the try that succeeded, and a SET
// that is late takes a lock again that was lost, so that Extend succeeds. And a
// LockContext that is cancelled cleans up with the context that has ended; any
// other clean-up waits a tenth of a second for a connection, and then leaves the key.
func TestRedsync(t *testing.T) {
	scenarios.Check(t, newLock,
		scenarios.Expect("two-step-release", "lease-honesty"), scenarios.Expect("late-request", "lease-honesty"),
		scenarios.Expect("watchdog-late", "lease-honesty"), scenarios.Expect("storm", "lease-honesty"),
		scenarios.Expect("two-step-release", "truthful-extend"),
		scenarios.Expect("cancel", "no-orphan"), scenarios.Expect("late-request", "no-orphan"))
}
