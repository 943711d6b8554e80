package rueidis_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/locktest"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m, newLock, redisstore.Store) }

// TestRueidis searches every scenario. Faults of the lock fail the test; limits
// of leases do not. Clients have one thread: see the README.
func TestRueidis(t *testing.T) {
	locktest.Check(t, newLock, locktest.On(redisstore.Store), locktest.Threads(1))
}

// TestCluster searches the scenarios in which no request fails, over a Redis Cluster. When one
// does, rueidis asks for the slots after a time that it draws from math/rand/v2, and runs differ.
func TestCluster(t *testing.T) {
	locktest.Check(t, newClusterLock, locktest.On(redisstore.Store), locktest.Topology("cluster"), locktest.Threads(1), locktest.Runs(100),
		locktest.Only("contention", "gc-pause", "holder-crash", "clock-skew", "server-clock-jump"))
}

// TestRunsRepeat shows that rueidis is deterministic here. It tests Lockpick; tests of
// locks do not need it.
func TestRunsRepeat(t *testing.T) {
	storetest.Test(t, newLock, redisstore.Store, [2]string{"threads", "1"})
}
