package operators_test

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/kube/clientgo/operators"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// programs are the operators, each with a scenario in which the flawed one breaks its rule.
var programs = []struct {
	flawed, repaired cell.Program
	scenario, rule   string
}{
	{operators.Reconcile(false), operators.Reconcile(true), "hung-node", "nobody-else-writes-the-object-while-a-leader-works"},
	{operators.Renew(false), operators.Renew(true), "contention", "a-leader-leads-on-while-nothing-fails"},
}

// TestBroken finds each.
func TestBroken(t *testing.T) {
	for _, p := range programs {
		t.Run(p.flawed.ID, func(t *testing.T) {
			r := locktest.ExploreProgram(t, p.flawed, locktest.Only(p.scenario), locktest.Runs(64))
			if !slices.ContainsFunc(r.Findings, func(f locktest.Finding) bool { return f.Property == p.rule }) {
				t.Errorf("it is not found to be broken under %s", p.scenario)
			}
		})
	}
}

// TestRepaired is silent.
func TestRepaired(t *testing.T) {
	for _, p := range programs {
		t.Run(p.repaired.ID, func(t *testing.T) {
			locktest.CheckProgram(t, p.repaired, locktest.Only(p.scenario), locktest.Runs(64))
		})
	}
}

// TestRunsRepeat makes runs twice: the same tape gives the same run.
func TestRunsRepeat(t *testing.T) {
	for _, p := range programs {
		for _, one := range []cell.Program{p.flawed, p.repaired} {
			t.Run(one.ID, func(t *testing.T) {
				l, err := one.Lock()
				if err != nil {
					t.Fatal(err)
				}
				c, err := scenarios.Registry([]cell.Lock{l}).Cell(p.scenario, l.ID, nil)
				if err != nil {
					t.Fatal(err)
				}
				for n := range 20 {
					run := func() explore.Outcome { return c.Run(explore.Run{Tape: explore.Random(1, n), Record: true}) }
					if a, b := run(), run(); a.Hash != b.Hash {
						t.Errorf("schedule %d differs: %s", n, explore.FirstDifference(a.Recording, b.Recording))
					}
				}
			})
		}
	}
}
