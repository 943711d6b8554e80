package redsync_test

import (
	"testing"

	adapter "github.com/lockpick-dev/lockpick/examples/trackrecord/redsync-v4.0.3"
	"github.com/lockpick-dev/lockpick/locktest"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// TestTrackRecord: the failure of v4.0.3 is repaired.
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, adapter.NewLock, locktest.On(redisstore.Store), locktest.Only("gc-pause"), locktest.Properties("truthful-release", "truthful-extend"))
}
