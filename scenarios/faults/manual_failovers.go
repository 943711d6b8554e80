package faults

import (
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

const manualFailover sim.Kind = "fault:manual-failover"

// orderedFailover is the kind of the event that shows such an order.
const orderedFailover sim.FaultKind = "failover ordered"

// ManualFailovers have an operator order one of those that choose a serving node to replace it, before any event.
// The old one is up, and is told last.
var ManualFailovers = &stage.Fault{
	Name: "manual-failovers", Most: 16,
	About: "how often an operator may order that the {serving} be replaced",
	One:   "an operator's order to replace the {serving}", Many: "operators' orders to replace the {serving}",
	Lacks: unlessServer[stage.Ordered]("nobody can be ordered to replace the {serving}"),
	Inject: func(s *stage.Stage, budget int) {
		s.Add(&orders{Stage: s, actor: s.World.NewActor("operator"), budget: budget})
	},
	Kinds: []sim.Kind{manualFailover},
	Tell: func(t *stage.Telling) string {
		if !t.Struck(orderedFailover) {
			return ""
		}
		return t.Event.Actor + " is ordered to replace the serving node at " + traces.Moment(t.Event.At)
	},
}

const manualFailoverOdds = 80

type orders struct {
	*stage.Stage
	actor  *sim.Actor
	budget int
}

// order is what an operator may order, and whom.
type order struct {
	server  *stage.Server
	elector stage.Node
}

// Before asks the tape whether an operator orders something.
func (f *orders) Before(sim.Upcoming) bool {
	if f.budget == 0 {
		return false
	}
	var list []order
	for _, s := range f.Cluster {
		if _, can := s.Authority.(stage.Ordered); !can || s.Busy || !s.Serving().Up() {
			continue
		}
		for _, e := range s.Electors() {
			if h, hangs := e.(stage.Hanger); e.Up() && !(hangs && h.Hangs()) {
				list = append(list, order{s, e})
			}
		}
	}
	option := f.World.Choose(sim.Decision{Kind: manualFailover, Actor: f.actor.Name(), Options: 1 + len(list), Odds: manualFailoverOdds})
	if option == 0 {
		return false
	}
	f.budget--
	o := list[option-1]
	f.World.Fault(o.elector.Actor(), orderedFailover, 0)
	o.server.Authority.(stage.Ordered).Order(o.elector)
	return true
}
