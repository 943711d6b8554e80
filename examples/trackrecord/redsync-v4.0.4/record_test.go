package redsync_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
)

// TestTrackRecord: the failure of v4.0.3 is repaired.
func TestTrackRecord(t *testing.T) {
	scenarios.Check(t, newLock, scenarios.Only("gc-pause"), scenarios.Properties("truthful-release", "truthful-extend"))
}
