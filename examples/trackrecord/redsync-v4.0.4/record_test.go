package redsync_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
)

// TestTrackRecord: what v4.0.3 does wrong is repaired.
func TestTrackRecord(t *testing.T) {
	scenarios.Check(t, newLock, scenarios.Only("gc-pause"), scenarios.Properties("truthful-release", "truthful-extend"))
}
