package operators_test

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/kube/controllerruntime/operators"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/storetest"
)

const (
	scenario = "hung-node"
	rule     = "nobody-else-writes-the-object-while-a-leader-works"
)

// everything is what goes wrong in one run of processes. They have no calls that could be cancelled.
var everything = storetest.Suite{Locks: locks(), Scenario: "election", Params: slices.Concat(storetest.Election, [][2]string{{"cancels", "0"}})}

// locks are the programs, as the search runs them.
func locks() (list []cell.Lock) {
	for _, stops := range []bool{false, true} {
		l, err := operators.Reconcile(stops).Lock()
		if err != nil {
			panic(err)
		}
		list = append(list, l)
	}
	return list
}

func TestMain(m *testing.M) { everything.Main(m) }

// TestBroken finds a runnable that goes on.
func TestBroken(t *testing.T) {
	r := locktest.ExploreProgram(t, operators.Reconcile(false), locktest.Only(scenario), locktest.Runs(64))
	if !slices.ContainsFunc(r.Findings, func(f locktest.Finding) bool { return f.Property == rule }) {
		t.Errorf("it is not found to be broken under %s", scenario)
	}
}

// TestRepaired is silent.
func TestRepaired(t *testing.T) {
	locktest.CheckProgram(t, operators.Reconcile(true), locktest.Only(scenario), locktest.Runs(64))
}

// TestRunsRepeat: runs come out the same in two processes.
func TestRunsRepeat(t *testing.T) { everything.Test(t) }

// TestRaceBuild: and in a binary with the race detector.
func TestRaceBuild(t *testing.T) { everything.TestRaceBuild(t) }
