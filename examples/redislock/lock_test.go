package redislock_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/scenarios"
)

// TestRedislock puts the lock into every scenario. Faults of the lock fail;
// what no lease can prevent does not.
func TestRedislock(t *testing.T) {
	for _, s := range scenarios.All() {
		t.Run(s.ID, func(t *testing.T) { rapid.Check(t, scenarios.Property(s.ID, newLock)) })
	}
}
