package redislock_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/locktest"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// TestTrackRecord: Obtain reports success however late Redis answers. A caller whose
// lease is over by then believes that it holds the lock.
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, newLock, locktest.On(redisstore.Store), locktest.Only("late-reply"), locktest.Properties("truthful-acquire"),
		locktest.Expect("late-reply", "truthful-acquire"))
}
