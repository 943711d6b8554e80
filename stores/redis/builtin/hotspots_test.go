package builtin_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
)

// TestHotspots: a lock whose threads compete within their process keeps what it promises, with any order of events, and
// its flawed twin does not. The property is judged of both: none of the runs says nothing of it.
func TestHotspots(t *testing.T) {
	slowtest.SkipIfShort(t)
	for _, test := range []struct{ property, sound, flawed string }{
		{checker.VainRequest, "pull-hotspot", "pull-hotspot-early"},
		{checker.BoundedSize, "pull-hotspot-names", "pull-hotspot-of-all"},
	} {
		for lock, want := range map[string]model.Status{test.sound: model.Holds, test.flawed: model.Violated} {
			for _, scenario := range []string{"contention", "hung-node"} {
				c, err := scenarios.Registry(builtin.Locks()).Cell(scenario, lock, nil)
				if err != nil {
					t.Fatal(err)
				}
				got := map[model.Status]int{}
				for n := range 12 {
					run := c.Run(explore.Run{Tape: explore.Random(1, n)})
					if run.Failure != nil {
						t.Fatal(run.Failure)
					}
					for _, v := range run.Verdicts {
						if v.Property == test.property {
							got[v.Status]++
						}
					}
				}
				if got[want] == 0 || want == model.Holds && got[model.Violated] > 0 {
					t.Errorf("%s of %s under %s: %v, want it %s", test.property, lock, scenario, got, want)
				}
			}
		}
	}
}
