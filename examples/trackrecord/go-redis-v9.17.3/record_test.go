package adapter_test

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	adapter "github.com/lockpick-dev/lockpick/examples/trackrecord/go-redis-v9.17.3"
	"github.com/lockpick-dev/lockpick/locktest"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// TestTrackRecord: the machine of the sentinel that the client has chosen is gone. A dial to it fails by its
// time-out, which go-redis takes for the end of the request's own context: it gives up, without asking another
// sentinel, and asks the same one for the next request. v9.18.0 looks at the context itself.
func TestTrackRecord(t *testing.T) {
	r := locktest.Explore(t, adapter.NewLock, locktest.On(redisstore.Store), locktest.Topology("sentinel"),
		locktest.Param("lost-electors", "1"), locktest.Only("failover-loss"), locktest.Runs(300))
	if !slices.ContainsFunc(r.Findings, func(f locktest.Finding) bool { return f.Property == checker.Progress && !f.Limit }) {
		t.Error("every client gets the lock")
	}
}
