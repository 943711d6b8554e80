package ownstore_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/examples/ownstore"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/storetest"
)

// everything goes wrong in one run: connections break, clients stop and are cut off, leaders crash, hang and are parted from
// the others, and messages are late or lost.
var everything = storetest.Suite{Locks: ownstore.Locks(), Scenario: "election", Params: storetest.Election}

func TestMain(m *testing.M) { everything.Main(m) }

// TestRunsRepeat: runs are the same in two processes, and every fault strikes.
func TestRunsRepeat(t *testing.T) { everything.Test(t) }

// TestExpected: searches find what the expectations require, and nothing that they do not allow.
func TestExpected(t *testing.T) {
	runs, ids := 100, []string(nil)
	if testing.Short() {
		runs, ids = 30, []string{"failover-loss", "partition", "gc-pause"}
	}
	storetest.Expectations(t, ownstore.Locks(), ownstore.Families(), runs, ids...)
}

// TestSound: no search finds a fault of the sound lock.
func TestSound(t *testing.T) {
	locktest.Check(t, ownstore.Sound, locktest.On(ownstore.Store), locktest.Runs(30), locktest.Only("failover-loss", "partition", "gc-pause"))
}
