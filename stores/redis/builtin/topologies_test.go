package builtin_test

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
)

// TestCellsOfTopologies: every lock can be put into every scenario however its servers are deployed. Where it does not
// run it says so, whatever it needs elsewhere.
func TestCellsOfTopologies(t *testing.T) {
	slowtest.SkipIfShort(t)
	registry := scenarios.Registry(builtin.Locks())
	for _, topology := range []string{"replicas", "sentinel", "cluster"} {
		runs := 0
		for _, l := range builtin.Locks() {
			for _, s := range scenarios.All() {
				c, err := registry.Cell(s.ID, l.ID, nil)
				if err != nil {
					t.Fatal(err)
				}
				if err := c.Deploy(topology); err != nil {
					if l.Needs.Servers > 1 {
						continue // there is one of them there
					}
					t.Errorf("%s under %s with topology=%s: %v", l.ID, s.ID, topology, err)
				}
				lacks := c.Lacks()
				if lacks == "" {
					runs++
				}
				if where := l.Needs.Topologies; len(where) > 0 && !slices.Contains(where, topology) && lacks == "" {
					t.Errorf("%s under %s runs with topology=%s", l.ID, s.ID, topology)
				}
			}
		}
		if runs == 0 {
			t.Errorf("nothing runs with topology=%s", topology)
		}
	}
}
