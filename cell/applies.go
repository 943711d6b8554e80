package cell

import (
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// Lacks says why the scenario does not apply to the lock: the lock's store lacks a trait that
// the scenario needs, or none of the scenario's faults can strike the store's servers. It is
// empty if the scenario applies. A scenario without faults needs only the traits.
func (c Cell) Lacks() string {
	if c.Scenario.Lacks != nil {
		if lacks := c.Scenario.Lacks(c.Lock.Store, c.Params); lacks != "" {
			return c.Lock.Store.Terms().Fill(lacks)
		}
	}
	if lacks := c.deployedWrongly(); lacks != "" {
		return lacks
	}
	var reasons []string
	sim.Run(sim.Config{Tape: sim.Calm{}}, func(w *sim.World) {
		cluster := c.Lock.Store.Build(w, c.Params, func(model.Observation) {})
		for _, a := range c.Params.Faults {
			lacks := ""
			if a.Fault.Lacks != nil {
				lacks = a.Fault.Lacks(cluster)
			}
			if lacks == "" {
				reasons = nil
				return
			}
			reasons = append(reasons, c.Lock.Store.Terms().Fill(lacks))
		}
	})
	return wording.And(reasons)
}

// deployedWrongly says why the lock does not run with the present deployment of its servers; empty if it does.
func (c Cell) deployedWrongly() string {
	for _, d := range c.Lock.Store.Shape() {
		runs := c.Lock.Needs.Topologies
		if d.Name != stage.Topology || len(runs) == 0 {
			continue
		}
		if now := d.Text(d.Of(c.Params)); !slices.Contains(runs, now) {
			return "the lock does not run with " + stage.Topology + "=" + now + ", but with " + wording.Or(runs)
		}
	}
	return ""
}

// seeks reports whether the clients' library looks for the serving node by itself. It then sends requests that no
// thread has asked for.
func (c Cell) seeks() bool {
	return slices.ContainsFunc(c.Lock.Store.Shape(), func(d stage.Setting) bool { return d.Name == stage.Topology && d.Of(c.Params) != 0 })
}
