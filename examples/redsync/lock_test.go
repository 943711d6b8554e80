package redsync_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
)

// TestRedsync searches every scenario. Faults of the lock fail the test, except for
// known ones; limits of leases do not.
//
// All tries of one LockContext have the same value. A late clean-up of an earlier try
// deletes the key of the try that succeeded. A late SET takes a lost lock again, so that
// Extend succeeds. A cancelled LockContext cleans up with the context that has ended. Any
// other clean-up waits a tenth of a second for a connection, and then leaves the key.
func TestRedsync(t *testing.T) {
	scenarios.Check(t, newLock,
		scenarios.Expect("two-step-release", "lease-honesty"), scenarios.Expect("late-request", "lease-honesty"),
		scenarios.Expect("watchdog-late", "lease-honesty"), scenarios.Expect("storm", "lease-honesty"),
		scenarios.Expect("two-step-release", "truthful-extend"),
		scenarios.Expect("cancel", "no-orphan"), scenarios.Expect("late-request", "no-orphan"))
}
