package builtin_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/kube/clientgo/builtin"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	"github.com/lockpick-dev/lockpick/storetest"
)

// everything is what goes wrong in one run of clients with two threads each.
var everything = storetest.Suite{Locks: builtin.Locks(), Scenario: "election", Params: storetest.ElectionOfThreads}

func TestMain(m *testing.M) { everything.Main(m) }

// TestRunsRepeat: runs come out the same in two processes.
func TestRunsRepeat(t *testing.T) { everything.Test(t) }

// TestRaceBuild: and in a binary with the race detector.
func TestRaceBuild(t *testing.T) { everything.TestRaceBuild(t) }

// TestExpectations: there are expectations of each lock, and of no other.
func TestExpectations(t *testing.T) {
	families, n := builtin.Families(), 0
	for _, l := range builtin.Locks() {
		if _, err := expect.Expected(families, l.ID); err != nil {
			t.Error(err)
		}
		n++
	}
	for _, f := range families {
		n -= len(f.Expectations)
	}
	if n != 0 {
		t.Error("there are expectations of what is no lock")
	}
}
