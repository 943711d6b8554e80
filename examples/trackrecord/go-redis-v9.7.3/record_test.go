package adapter_test

import (
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/checker"
	swapped "github.com/lockpick-dev/lockpick/examples/trackrecord/go-redis-v9.7.0"
	adapter "github.com/lockpick-dev/lockpick/examples/trackrecord/go-redis-v9.7.3"
	"github.com/lockpick-dev/lockpick/locktest"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// TestTrackRecord: one of the three sentinels is missing, and it is the first
// in the client's random order. The client asks the sentinels one after another under one context, which ends
// while it waits for the first. It never asks the second, and the next request begins with the first again.
// v9.8.0 asks all of them at once.
//
// The swapped answers of v9.7.0 are repaired.
func TestTrackRecord(t *testing.T) {
	r := locktest.Explore(t, adapter.NewLock, locktest.On(redisstore.Store), locktest.Topology("sentinel"),
		locktest.Param("absent-electors", "1"), locktest.Only("contention"))
	if !slices.ContainsFunc(r.Findings, func(f locktest.Finding) bool { return f.Property == checker.Progress && !f.Limit }) {
		t.Error("every client gets the lock")
	}
	t.Run("good", func(t *testing.T) {
		locktest.Check(t, swapped.NewLock, locktest.On(redisstore.Store), locktest.Only("late-reply"), locktest.Runs(500),
			locktest.TTL(10*time.Second), locktest.Threads(1), locktest.Properties("truthful-acquire", "mutual-exclusion"))
	})
}

// TestSockets: on real sockets, SetNX does not return true if the server has answered that another has the key.
func TestSockets(t *testing.T) {
	if ok, err := swapped.SetNX(t.Context()); ok {
		t.Errorf("SetNX: %v, %v", ok, err)
	}
}
