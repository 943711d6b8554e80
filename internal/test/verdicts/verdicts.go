// Package verdicts returns the findings of searches of a lock, for tests of stores: of sound locks, and of their flawed
// twins.
package verdicts

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Of runs a number of schedules of a lock in each scenario that applies to it, or in the named ones. It returns the first
// fault of each property, by the property, with its place; and how often a property was violated as a limit.
func Of(t *testing.T, l cell.Lock, schedules int, only ...string) (faults map[string]string, limits int) {
	t.Helper()
	faults = map[string]string{}
	for _, s := range scenarios.All() {
		c, err := scenarios.Registry([]cell.Lock{l}).Cell(s.ID, l.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(only) > 0 && !slices.Contains(only, s.ID) || c.Lacks() != "" {
			continue
		}
		for i := range schedules {
			out := c.Run(explore.Run{Tape: explore.Random(1, i)})
			if out.Failure != nil {
				t.Errorf("%s, schedule %d: %v", s.ID, i, out.Failure)
			}
			for _, v := range out.Verdicts {
				switch {
				case v.Status != model.Violated:
				case v.Limit:
					limits++
				case faults[v.Property] == "":
					faults[v.Property] = fmt.Sprintf("%s, schedule %d: %s (%s)", s.ID, i, v.Sentence, v.Cause)
				}
			}
		}
	}
	return faults, limits
}
