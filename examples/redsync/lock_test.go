package redsync_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/locktest"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// TestRedsync searches every scenario. Faults of the lock fail the test, except for
// known ones; limits of leases do not.
//
// All tries of one LockContext have the same value. A late clean-up of an earlier try
// deletes the key of the try that succeeded, in storm also while Extend is under way and
// then reports success, or while another client has been waiting for the key. A cancelled
// LockContext cleans up with the context that has ended, in storm as in cancel.
func TestRedsync(t *testing.T) {
	locktest.Check(t, newLock, locktest.On(redisstore.Store),
		locktest.Expect("two-step-release", "lease-honesty"), locktest.Expect("late-request", "lease-honesty"),
		locktest.Expect("lost-wakeup", "lease-honesty"), locktest.Expect("late-request", "mutual-exclusion"),
		locktest.Expect("storm", "lease-honesty"),
		locktest.Expect("storm", "truthful-extend"), locktest.Expect("storm", "mutual-exclusion"),
		locktest.Expect("cancel", "no-orphan"), locktest.Expect("storm", "no-orphan"))
}
