package redsync_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
)

// TestTrackRecord: Unlock and Extend return true for a lock that is lost. They compare
// the script's answer, an int64 in an interface, with a constant of another type. v4.0.4
// repaired it.
func TestTrackRecord(t *testing.T) {
	scenarios.Check(t, newLock, scenarios.Only("gc-pause"), scenarios.Properties("truthful-release", "truthful-extend"),
		scenarios.Expect("gc-pause", "truthful-release"), scenarios.Expect("gc-pause", "truthful-extend"))
}
