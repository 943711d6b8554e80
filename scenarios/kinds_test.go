package scenarios_test

import (
	"testing"
)

// TestKindsSound searches with locks of every kind that are sound: nothing may be
// found but the limits of what such a lock can promise.
func TestKindsSound(t *testing.T) {
	for _, lock := range []string{"readwrite", "semaphore", "permit-semaphore"} {
		for _, scenario := range []string{"contention", "gc-pause", "failover-loss", "cancel"} {
			t.Run(lock+"/"+scenario, func(t *testing.T) {
				t.Parallel()
				c := cell(t, scenario, lock)
				searchNever(t, c, 1, schedules(t, 200, 20_000), c.Limits())
			})
		}
	}
}
