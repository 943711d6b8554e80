package redislock_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
)

// TestTrackRecord: what v0.9.3 does wrong is repaired. Obtain knows its own
// token when a reply was lost and go-redis asks again.
func TestTrackRecord(t *testing.T) {
	scenarios.Check(t, newLock, scenarios.Only("lost-reply"), scenarios.Properties("no-orphan"))
}
