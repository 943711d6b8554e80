package redislock_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
)

// TestTrackRecord: the failure of v0.9.3 is repaired. Obtain recognises its own token
// when a reply was lost and go-redis repeats the request.
func TestTrackRecord(t *testing.T) {
	scenarios.Check(t, newLock, scenarios.Only("lost-reply"), scenarios.Properties("no-orphan"))
}
