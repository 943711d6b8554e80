package builtin_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/kube/builtin"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	"github.com/lockpick-dev/lockpick/storetest"
)

// everything is what goes wrong in one run of clients with two threads each.
var everything = storetest.Suite{Locks: builtin.Locks(), Scenario: "election", Params: append([][2]string{{"server-errors", "2"}}, storetest.ElectionOfThreads...)}

func TestMain(m *testing.M) { everything.Main(m) }

// TestRunsRepeat: runs come out the same in two processes.
func TestRunsRepeat(t *testing.T) { everything.Test(t) }

// TestRaceBuild: and in a binary with the race detector.
func TestRaceBuild(t *testing.T) { everything.TestRaceBuild(t) }

// TestExpectations: there are expectations of each lock, and of no other.
func TestExpectations(t *testing.T) {
	families, known := builtin.Families(), map[string]bool{}
	for _, l := range builtin.Locks() {
		known[l.ID] = true
		if _, err := expect.Expected(families, l.ID); err != nil {
			t.Error(err)
		}
	}
	for _, f := range families {
		for _, e := range f.Expectations {
			if !known[e.Lock] {
				t.Errorf("there are expectations of %s, which is no lock", e.Lock)
			}
		}
	}
}
