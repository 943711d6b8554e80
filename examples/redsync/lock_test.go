package redsync_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
)

// TestRedsync searches every scenario. Faults of the lock fail the test, except for
// known ones; limits of leases do not.
//
// All tries of one LockContext have the same value. A late clean-up of an earlier try
// deletes the key of the try that succeeded, in storm also while Extend is under way and
// then reports success, or while another client has been waiting for the key. A cancelled
// LockContext cleans up with the context that has ended, in storm as in cancel.
func TestRedsync(t *testing.T) {
	scenarios.Check(t, newLock,
		scenarios.Expect("two-step-release", "lease-honesty"), scenarios.Expect("late-request", "lease-honesty"),
		scenarios.Expect("watchdog-late", "lease-honesty"), scenarios.Expect("storm", "lease-honesty"),
		scenarios.Expect("storm", "truthful-extend"), scenarios.Expect("storm", "mutual-exclusion"),
		scenarios.Expect("cancel", "no-orphan"), scenarios.Expect("storm", "no-orphan"))
}
