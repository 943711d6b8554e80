package goredis_test

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/locktest"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// TestTrackRecord: the machine of the sentinel that the client has chosen is gone. A dial to Redis and the dial to the
// sentinel that it begins have the same limit, DialTimeout, so that the outer one ends first. go-redis then takes
// its own limit for the end of the request, and gives up without asking another sentinel; it asks the same one for
// the next request, for as long as it cannot be reached.
func TestTrackRecord(t *testing.T) {
	r := locktest.Explore(t, newLock, locktest.On(redisstore.Store), locktest.Topology("sentinel"),
		locktest.Param("lost-electors", "1"), locktest.Only("failover-loss"), locktest.Runs(300))
	if !slices.ContainsFunc(r.Findings, func(f locktest.Finding) bool { return f.Property == checker.Progress && !f.Limit }) {
		t.Error("every client gets the lock")
	}
}
