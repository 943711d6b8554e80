package faults

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

const reset sim.Kind = "fault:reset"

// Resets break connections between clients and the store, one at a time, before any event.
// Data in flight is lost; both ends stay up.
var Resets = &stage.Fault{
	Name: "resets", Most: 1000,
	About:  "how many connections to {store} may be reset",
	One:    "a reset of a connection to {store}",
	Many:   "resets of connections to {store}",
	Resets: true,
	Inject: func(s *stage.Stage, budget int) {
		s.Add(&resets{Stage: s, actor: s.World.NewActor("resets"), budget: budget})
	},
	Kinds:    []sim.Kind{reset},
	Describe: describeReset,
}

const resetOdds = 25

// faultReset is the text of a reset in the log.
const faultReset sim.FaultKind = "reset"

type resets struct {
	*stage.Stage
	actor  *sim.Actor
	budget int
}

// Before asks the tape whether a connection breaks.
func (f *resets) Before(sim.Upcoming) bool {
	if f.budget == 0 {
		return false
	}
	var conns []*sim.Conn
	var ends []sim.Candidate
	for _, s := range f.Cluster {
		for _, n := range s.Nodes() {
			for _, c := range f.World.Network().Conns(n.Actor()) {
				conns, ends = append(conns, c), append(ends, c.Ends())
			}
		}
	}
	option := f.World.Choose(sim.Decision{
		Kind: reset, Actor: f.actor.Name(), Options: 1 + len(conns), Odds: resetOdds, Candidates: ends,
	})
	if option == 0 {
		return false
	}
	f.budget--
	f.World.Fault(f.actor, faultReset, 0)
	conns[option-1].Reset(nil)
	return true
}

// describeReset describes a reset at the end that learnt of it first, if any.
func describeReset(t *stage.Choice) string {
	if !t.Struck(faultReset) {
		return ""
	}
	end := t.Strike(func(e *sim.Event) bool { return e.Kind == sim.EventReset })
	if end == nil {
		return "a connection is reset at " + traces.Moment(t.Event.At)
	}
	client, node := end.Actor, end.Peer
	if t.Dialed(end.Conn) != client {
		client, node = node, client
	}
	text := fmt.Sprintf("the connection from %s to %s is reset at %s", client, node, traces.Moment(t.Event.At))
	t.Event = end
	return text
}
