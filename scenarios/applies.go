package scenarios

import (
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// Lacks says why the scenario does not apply to the lock: the lock's store lacks a trait that
// it needs, or none of its faults can strike the servers. It is empty if one can, or if
// the scenario has no faults.
func (c Cell) Lacks() string {
	if c.Scenario.Lacks != nil {
		if lacks := c.Scenario.Lacks(c.Lock.store().Traits()); lacks != "" {
			return c.Lock.store().Terms().Fill(lacks)
		}
	}
	var reasons []string
	sim.Run(sim.Config{Tape: sim.Calm{}}, func(w *sim.World) {
		cluster := c.Lock.store().Build(w, c.Params, func(model.Observation) {})
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

// The traits that scenarios and happenings ask for.
func splits(t stage.Traits) bool       { return t.Splits }
func abandons(t stage.Traits) bool     { return t.Abandons }
func hasSessions(t stage.Traits) bool  { return t.Sessions }
func readsLocally(t stage.Traits) bool { return t.LocalReads }
func elects(t stage.Traits) bool       { return t.Elects }
func pools(t stage.Traits) bool        { return t.Pools }

// unless returns a Lacks function of a scenario: lacks, unless a store has the trait.
func unless(has func(stage.Traits) bool, lacks string) func(stage.Traits) string {
	return func(t stage.Traits) string {
		if has(t) {
			return ""
		}
		return lacks
	}
}
