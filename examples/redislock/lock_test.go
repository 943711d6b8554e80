package redislock_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/locktest"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// late has the properties that redislock violates when answers are late. Neither Obtain
// nor Refresh looks at the clock when the answer has come: they report success after the
// lease is over, and the holder works beside the next one.
var (
	late   = []string{"truthful-acquire", "truthful-extend", "mutual-exclusion", "linearizable", "no-lost-update"}
	lateIn = []string{"two-step-release", "late-reply", "partition", "watchdog-late", "storm"}
)

// TestRedislock searches every scenario. Faults of the lock fail the test, except for
// known ones; limits of leases do not.
func TestRedislock(t *testing.T) {
	options := []locktest.Option{
		locktest.On(redisstore.Store),
		// Obtain does not clean up: if the answer that grants the lock is lost and the
		// context ends before go-redis repeats the request, the key stays for a TTL.
		locktest.Expect("cancel", "no-orphan"),
	}
	for _, scenario := range lateIn {
		for _, property := range late {
			options = append(options, locktest.Expect(scenario, property))
		}
	}
	locktest.Check(t, newLock, options...)
}
