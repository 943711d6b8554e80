package scenarios

import (
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Lacks says why the scenario does not apply to the lock: the servers of the lock's store
// lack what it needs, or none of its faults can strike them. It is empty if one can, or if
// the scenario has no faults.
func (c Cell) Lacks() string {
	var reasons []string
	sim.Run(sim.Config{Tape: sim.Calm{}}, func(w *sim.World) {
		cluster := c.Lock.store().Build(w, c.Params, func(model.Observation) {})
		if c.Scenario.Lacks != nil {
			if lacks := c.Scenario.Lacks(cluster); lacks != "" {
				reasons = []string{c.Lock.store().Terms().Fill(lacks)}
				return
			}
		}
		for _, a := range c.Params.Faults {
			lacks := ""
			if a.Fault.Lacks != nil {
				lacks = a.Fault.Lacks(cluster)
			}
			if lacks == "" {
				reasons = nil
				return
			}
			reasons = append(reasons, c.Lock.store().Terms().Fill(lacks))
		}
	})
	return wording.And(reasons)
}
