package builtin_test

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
	"github.com/lockpick-dev/lockpick/storetest"
)

// pooled are locks that use their pools in different ways: each request takes a connection, or one is
// kept by a Conn or a transaction, and renewals come beside the requests of threads. Those whose waiters
// one subscription wakes are not among them: if a pause has kept two messages back, two threads wake at
// once and draw from one random source, whatever the pool.
var pooled = locks("setpx", "setpx-watch", "pull-renew", "setpx-void-as-printed")

func locks(ids ...string) []cell.Lock {
	return slices.DeleteFunc(builtin.Locks(), func(l cell.Lock) bool { return !slices.Contains(ids, l.ID) })
}

// troubled is what goes wrong besides.
var troubled = [][2]string{{"connections", "1"}, {"resets", "2"}, {"pauses", "1"}, {"cancels", "2"}, {"lost-replies", "1"}}

// alone is clients of one thread, whose goroutines wait for one connection.
var alone = storetest.Suite{Locks: pooled, Scenario: "pool-exhausted", Params: append([][2]string{{"threads", "1"}}, troubled...)}

// exhausted is clients of two threads, which wait for one connection.
var exhausted = storetest.Suite{Locks: pooled, Scenario: "pool-exhausted", Params: append([][2]string{{"threads", "2"}}, troubled...)}

// crowded is four threads that wait for two connections.
var crowded = storetest.Suite{Locks: pooled, Scenario: "pool-exhausted", Params: append([][2]string{{"threads", "4"}}, slices.Concat(troubled[1:], [][2]string{{"connections", "2"}})...)}

// deployed is clients of servers that are deployed otherwise, with faults of all kinds.
func deployed(topology, threads string) storetest.Suite {
	return storetest.Suite{
		Locks: locks("setpx", "reentrant", "pull-renew"), Scenario: "storm",
		Params: [][2]string{{"topology", topology}, {"threads", threads}},
	}
}

// TestRunsOfTopologiesRepeat: unmodified failover and cluster clients, with one thread and with two.
func TestRunsOfTopologiesRepeat(t *testing.T) {
	slowtest.SkipIfShort(t)
	for _, topology := range []string{"sentinel", "cluster"} {
		t.Run(topology, func(t *testing.T) { deployed(topology, "1").Test(t) })
		t.Run(topology+", two threads", func(t *testing.T) { deployed(topology, "2").Test(t) })
	}
}

// TestRaceBuildOfTopologies: and in a binary with the race detector.
func TestRaceBuildOfTopologies(t *testing.T) {
	race := storetest.RaceBuild(t)
	for _, topology := range []string{"sentinel", "cluster"} {
		t.Run(topology, func(t *testing.T) { deployed(topology, "1").TestBuild(t, race) })
		t.Run(topology+", two threads", func(t *testing.T) { deployed(topology, "2").TestBuild(t, race) })
	}
}

// slots are what happens to the slots of a Redis Cluster: they move, and masters are replaced by order. Clients ask for them beside their requests.
var slots = map[string]storetest.Suite{
	"migration": {Locks: locks("setpx", "watchdog"), Scenario: "migration", Params: [][2]string{{"topology", "cluster"}, {"threads", "2"}}},
	"switchover": {Locks: locks("setpx", "watchdog"), Scenario: "switchover", Params: [][2]string{
		{"topology", "cluster"}, {"threads", "2"}, {"manual-failovers", "4"}, {"lagging-promotions", "0"}, {"epoch-ties", "0"}, {"switch-delays", "0"},
	}},
}

// TestRunsOfSlotsRepeat: runs in which slots change their owners come out the same in two processes.
func TestRunsOfSlotsRepeat(t *testing.T) {
	slowtest.SkipIfShort(t)
	for name, s := range slots { // unordered: each is a test of its own
		t.Run(name, s.Test)
	}
}

// TestRaceBuildOfSlots: and in a binary with the race detector.
func TestRaceBuildOfSlots(t *testing.T) {
	race := storetest.RaceBuild(t)
	for name, s := range slots { // unordered: each is a test of its own
		t.Run(name, func(t *testing.T) { s.TestBuild(t, race) })
	}
}

func TestMain(m *testing.M) { storetest.Suite{Locks: builtin.Locks()}.Main(m) }

// TestRunsOfPoolsRepeat: runs in which several goroutines wait for a connection of their pool come out
// the same in two processes.
func TestRunsOfPoolsRepeat(t *testing.T) {
	t.Run("two threads", exhausted.Test)
	t.Run("one thread", func(t *testing.T) { slowtest.SkipIfShort(t); alone.Test(t) })
	t.Run("four threads", func(t *testing.T) { slowtest.SkipIfShort(t); crowded.Test(t) })
}

// TestRaceBuildOfPools: and in a binary with the race detector.
func TestRaceBuildOfPools(t *testing.T) {
	t.Run("one thread", alone.TestRaceBuild)
	t.Run("two threads", exhausted.TestRaceBuild)
	t.Run("four threads", crowded.TestRaceBuild)
}
