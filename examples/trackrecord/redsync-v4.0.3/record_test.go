package adapter_test

import (
	"testing"

	adapter "github.com/lockpick-dev/lockpick/examples/trackrecord/redsync-v4.0.3"
	"github.com/lockpick-dev/lockpick/locktest"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// TestTrackRecord: Unlock and Extend return true for a lock that is lost. They compare
// the script's answer, an int64 in an interface, with a constant of another type. v4.0.4
// repaired it.
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, adapter.NewLock, locktest.On(redisstore.Store), locktest.Only("gc-pause"), locktest.Properties("truthful-release", "truthful-extend"),
		locktest.Expect("gc-pause", "truthful-release"), locktest.Expect("gc-pause", "truthful-extend"))
}
