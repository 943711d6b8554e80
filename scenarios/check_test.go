package scenarios_test

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// exhaust checks a cell to a bound.
func exhaust(t *testing.T, c cell.Cell, bound int, plain bool) *explore.CheckSummary {
	t.Helper()
	sum, err := explore.Check{
		Worker: cells.Worker(t, 1), Cell: c.Encode(), Bound: bound, Plain: plain, Happenings: len(c.Scenario.Happenings),
	}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(sum.Troubles) > 0 || sum.Complete != bound {
		t.Fatalf("complete to bound %d of %d: %+v", sum.Complete, bound, sum.Troubles)
	}
	return sum
}

// TestReduction compares, per bound, what an exhaustive search finds with
// partial-order reduction and without, in small configurations of every pair:
// the same violations with as few deviations, the same classes of orders, and
// fewer schedules.
func TestReduction(t *testing.T) {
	spared := 0
	t.Run("pairs", func(t *testing.T) {
		everyPair(t, func(t *testing.T, scenario, lock string) {
			if !cells.Sampled(scenario+"/"+lock, 9) {
				t.Skip("not in the sample of -short")
			}
			bound, settings := 1, []string{"rounds", "1", "clients", "2"}
			switch {
			case cells.Long():
				bound = 2
			case testing.Short():
			case lock == "setpx" && slices.Contains(twice, scenario):
				bound = 2
			}
			c := cells.Of(t, scenario, lock, settings...)
			for b := range bound + 1 {
				plain, reduced := exhaust(t, c, b, true), exhaust(t, c, b, false)
				if a, b := fewest(plain), fewest(reduced); !maps.Equal(a, b) {
					t.Errorf("bound %d: plain search finds %v, with reduction %v", bound, a, b)
				}
				if !maps.Equal(plain.Orders, reduced.Orders) || reduced.Unmatched > 0 {
					t.Errorf("bound %d: %d classes, %d with reduction, %d unmatched", b, len(plain.Orders), len(reduced.Orders), reduced.Unmatched)
				}
				if reduced.Schedules > plain.Schedules {
					t.Errorf("bound %d: %d schedules with reduction, %d without", b, reduced.Schedules, plain.Schedules)
				}
				if b == bound {
					t.Logf("bound %d: %d schedules, %d with reduction, %d classes", b, plain.Schedules, reduced.Schedules, len(reduced.Orders))
					counted.Lock()
					spared += plain.Schedules - reduced.Schedules
					counted.Unlock()
				}
			}
		})
	})
	if spared == 0 && !t.Failed() {
		t.Error("the reduction spared no schedule")
	}
}

// twice are the scenarios in which TestReduction tries two deviations at once.
var twice = []string{"failover-loss", "gc-pause", "two-step-release", "lost-reply"}

// counted guards what subtests count together.
var counted sync.Mutex

// fewest is how few deviations each violation takes.
func fewest(sum *explore.CheckSummary) map[model.Violation]int {
	least := map[model.Violation]int{}
	for v, f := range sum.First {
		least[v] = f.Deviations
	}
	return least
}

// TestShrunkIsSmall: a shrunk counterexample of each bug has at most one
// deviation more than the smallest that exhaustive search finds, in the cell
// that it was shrunk to and in the one that it was found in. Exhaustive search
// goes no further than what can be searched: bound 1, or 2 in the long test.
func TestShrunkIsSmall(t *testing.T) {
	for _, row := range table() {
		for i, must := range row.must {
			name := row.scenario + "/" + row.lock + "/" + must.Property
			if testing.Short() && (i > 0 || row.scenario == "lost-wakeup") || !cells.Sampled(name, 16) {
				continue // the others of a cell are alike, and runs of lost-wakeup are long
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				c := cells.Of(t, row.scenario, row.lock)
				tape, v := firstTape(t, c, must.Property)
				s, err := explore.Shrink{Worker: cells.Worker(t, 1), Cell: c.Encode(), Property: v.Property, Limit: v.Limit, Smaller: c.Smaller}.Run(t.Context(), tape)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%d deviations, before %d, after %d runs, in %s", s.Deviations, s.Before, s.Runs, s.Cell)
				if s.Exhausted || s.Deviations > s.Before {
					t.Errorf("exhausted: %v; %d deviations, before %d", s.Exhausted, s.Deviations, s.Before)
				}
				bound := min(s.Deviations-2, 1)
				if cells.Long() {
					bound = min(s.Deviations-2, 2)
				}
				if bound < 0 {
					return // fewer by one is none, and that is the calm run
				}
				encoded := []json.RawMessage{s.Cell, c.Encode()}
				if testing.Short() {
					encoded = encoded[:1]
				}
				for _, raw := range encoded {
					smaller, err := scenarios.Registry(cells.Locks()).Decode(raw)
					if err != nil {
						t.Fatal(err)
					}
					sum := exhaust(t, smaller, bound, false)
					if n := sum.Violations[v]; n > 0 {
						t.Errorf("%d schedules violate it with %d deviations, %d are left", n, sum.First[v].Deviations, s.Deviations)
					}
				}
			})
		}
	}
}

// firstTape is what the portfolio first finds of the property, and whether as a
// fault or as a limit.
func firstTape(t *testing.T, c cell.Cell, property string) (tape []sim.Choice, v model.Violation) {
	t.Helper()
	q := explore.Request{Cell: c.Encode(), Strategy: explore.PortfolioStrategy, Seed: 1, Count: budget}
	err := cells.Worker(t, 1).Do(t.Context(), q, func(r explore.Result) bool {
		for _, found := range r.Violated {
			if tape == nil && found.Property == property {
				tape, v = r.Tape, found
			}
		}
		return tape == nil
	})
	if err != nil || tape == nil {
		t.Fatalf("%s was not found in %d schedules: %v", property, budget, err)
	}
	return tape, v
}
