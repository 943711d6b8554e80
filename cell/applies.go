package cell

import (
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Lacks says why the scenario does not apply to the lock: the lock's store lacks a trait that
// the scenario needs, or none of the scenario's faults can strike the store's servers. It is
// empty if the scenario applies. A scenario without faults needs only the trait.
func (c Cell) Lacks() string {
	if c.Scenario.Lacks != nil {
		if lacks := c.Scenario.Lacks(c.Lock.Store, c.Params); lacks != "" {
			return c.Lock.Store.Terms().Fill(lacks)
		}
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
