package redislock_test

import (
	"testing"

	adapter "github.com/lockpick-dev/lockpick/examples/trackrecord/redislock-v0.9.3"
	"github.com/lockpick-dev/lockpick/locktest"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// TestTrackRecord: the failure of v0.9.3 is repaired. Obtain recognises its own token
// when a reply was lost and go-redis repeats the request.
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, adapter.NewLock, locktest.On(redisstore.Store), locktest.Only("lost-reply"), locktest.Properties("no-orphan"))
}
