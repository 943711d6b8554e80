package redislock_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
)

// late is what is found where answers are late. Neither Obtain nor Refresh looks at
// the clock when the answer has come: success is reported when the lease that the
// answer grants is over, and the holder goes on beside the next.
var (
	late   = []string{"truthful-acquire", "truthful-extend", "mutual-exclusion", "linearizable", "no-lost-update"}
	lateIn = []string{"late-reply", "partition", "watchdog-late", "storm"}
)

// TestRedislock puts the lock into every scenario. Faults of the lock fail, but for
// those that are known; what no lease can prevent does not.
func TestRedislock(t *testing.T) {
	options := []scenarios.Option{
		// Obtain does not clean up: if the answer that grants the lock is lost and
		// the context ends before it is asked for again, the key stays for a TTL.
		scenarios.Expect("cancel", "no-orphan"),
		scenarios.Expect("two-step-release", "truthful-acquire"),
	}
	for _, scenario := range lateIn {
		for _, property := range late {
			options = append(options, scenarios.Expect(scenario, property))
		}
	}
	scenarios.Check(t, newLock, options...)
}
