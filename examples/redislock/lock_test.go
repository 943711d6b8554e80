package redislock_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
)

// TestRedislock puts the lock into every scenario. Faults of the lock fail;
// what no lease can prevent does not.
func TestRedislock(t *testing.T) {
	scenarios.Check(t, newLock,
		// Obtain does not clean up: if the answer that grants the lock is lost and
		// the context ends before it is asked for again, the key stays for a TTL.
		scenarios.Expect("cancel", "no-orphan"))
}
