package redislock_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
)

// TestTrackRecord: Obtain reports success however late Redis answers. A caller whose
// lease is over by then believes that it holds the lock.
func TestTrackRecord(t *testing.T) {
	scenarios.Check(t, newLock, scenarios.Only("late-reply"), scenarios.Properties("truthful-acquire"),
		scenarios.Expect("late-reply", "truthful-acquire"))
}
