package redsync_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
)

// TestTrackRecord: a LockContext that is cancelled in the middle of a try cleans up with
// the context that has just ended, so the clean-up is never sent.
func TestTrackRecord(t *testing.T) {
	scenarios.Check(t, newLock, scenarios.Only("cancel"), scenarios.Properties("no-orphan"),
		scenarios.Expect("cancel", "no-orphan"))
}
