package goredis_test

import (
	"testing"

	adapter "github.com/lockpick-dev/lockpick/examples/trackrecord/go-redis-v9.17.3"
	"github.com/lockpick-dev/lockpick/locktest"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// TestTrackRecord: the failure of v9.17.3 is repaired for a client whose dialer has a limit of its own. (For one
// with go-redis's own limits it is not: see go-redis-v9.23.0.)
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, adapter.NewLock, locktest.On(redisstore.Store), locktest.Topology("sentinel"),
		locktest.Param("lost-electors", "1"), locktest.Only("failover-loss"), locktest.Properties("progress"))
}
