package goredis_test

import (
	"testing"

	adapter "github.com/lockpick-dev/lockpick/examples/trackrecord/go-redis-v9.7.3"
	"github.com/lockpick-dev/lockpick/locktest"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// TestTrackRecord: the failure of v9.7.3 is repaired. All sentinels are asked at once, and the first answer
// counts.
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, adapter.NewLock, locktest.On(redisstore.Store), locktest.Topology("sentinel"),
		locktest.Param("absent-electors", "1"), locktest.Only("contention"), locktest.Properties("progress"))
}
