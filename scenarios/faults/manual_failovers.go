package faults

import (
	"strings"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

const manualFailover sim.Kind = "fault:manual-failover"

// orderedFailover is the kind of the event of such an order.
const orderedFailover sim.FaultKind = "failover ordered"

// ManualFailovers are orders of an operator to replace a serving node, before any event. An elector gets the order, or
// the follower that is to serve. The old node is up, and learns of it last.
var ManualFailovers = &stage.Fault{
	Name: "manual-failovers", Most: 16,
	About: "how often an operator may order that the {serving} be replaced",
	One:   "an operator's order to replace the {serving}", Many: "operators' orders to replace the {serving}",
	Lacks: unlessServer[stage.Ordered]("nobody can be ordered to replace the {serving}"),
	Inject: func(s *stage.Stage, budget int) {
		s.Add(&orders{Stage: s, actor: s.World.NewActor("operator"), budget: budget})
	},
	Kinds: []sim.Kind{manualFailover},
	Describe: func(t *stage.Choice) string {
		e := t.Strike(func(e *sim.Event) bool {
			return e.Kind == sim.EventFault && strings.HasPrefix(e.Detail, string(orderedFailover))
		})
		if e == nil {
			return ""
		}
		return e.Actor + " is ordered to replace the serving node" + strings.TrimPrefix(e.Detail, string(orderedFailover)) + " at " + traces.Moment(e.At)
	},
}

const manualFailoverOdds = 80

type orders struct {
	*stage.Stage
	actor  *sim.Actor
	budget int
}

// Before asks the tape whether an operator orders something.
func (f *orders) Before(sim.Upcoming) bool {
	if f.budget == 0 {
		return false
	}
	var list []stage.Order
	for _, s := range f.Cluster {
		ordered, can := s.Authority.(stage.Ordered)
		if !can || s.Busy || !s.Serving().Up() {
			continue
		}
		for _, o := range ordered.Orders() {
			if h, hangs := o.To.(stage.Hanger); o.To.Up() && !(hangs && h.Hangs()) {
				list = append(list, o)
			}
		}
	}
	option := f.World.Choose(sim.Decision{Kind: manualFailover, Actor: f.actor.Name(), Options: 1 + len(list), Odds: manualFailoverOdds})
	if option == 0 {
		return false
	}
	f.budget--
	o := list[option-1]
	what := orderedFailover
	if o.How != "" {
		what += sim.FaultKind(" (" + o.How + ")")
	}
	f.World.Fault(o.To.Actor(), what, 0)
	o.Give()
	return true
}
