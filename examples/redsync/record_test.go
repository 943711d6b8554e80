package redsync_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/locktest"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// TestTrackRecord: a LockContext that is cancelled in the middle of a try cleans up with
// the context that has just ended, so the clean-up is never sent.
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, newLock, locktest.On(redisstore.Store), locktest.Only("cancel"), locktest.Properties("no-orphan"),
		locktest.Expect("cancel", "no-orphan"))
}
