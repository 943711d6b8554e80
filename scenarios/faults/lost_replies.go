package faults

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

const lostReply sim.Kind = "fault:lost-reply"

// LostReplies break connections when an answer of the store is about to arrive: the
// request was executed, but the client does not learn it. Answers of the handshake may
// be lost, too.
var LostReplies = &stage.Fault{
	Name: "lost-replies", Most: 64,
	About:  "how many answers of {store} may be lost with their connections",
	One:    "an answer of {store} that is lost with its connection",
	Many:   "answers of {store} that are lost with their connections",
	Resets: true,
	Inject: func(s *stage.Stage, budget int) {
		loseAnswers(s, budget, lostReply, 20, func(stage.Node, *sim.Conn) bool { return true })
	},
	Kinds:    []sim.Kind{lostReply},
	Describe: describeLost,
}

// loseAnswers injects the loss of answers, of those for which may returns true, with
// their connections.
func loseAnswers(s *stage.Stage, budget int, kind sim.Kind, odds int, may func(stage.Node, *sim.Conn) bool) {
	s.Strike(budget, stage.Strikes{
		Kind: kind, Options: 1, Odds: odds,
		Can: func(e sim.Upcoming) bool {
			if e.Conn() == nil || s.Client(e.Actor) == nil {
				return false
			}
			n := s.Cluster.Node(e.Conn().Server())
			return n != nil && may(n, e.Conn())
		},
		Do: func(e sim.Upcoming, _ int) bool {
			s.World.Strike(e.Actor, sim.Fault{Kind: sim.FaultLost, Task: e.Task()})
			e.Conn().Reset(nil)
			return true
		},
	})
}

// describeLost describes the first lost segment to the client.
func describeLost(t *stage.Choice) string {
	if !t.Struck(sim.FaultLost) {
		return ""
	}
	drop := t.Strike(func(e *sim.Event) bool { return e.Kind == sim.EventDrop && e.Actor == t.Actor })
	if drop == nil {
		return fmt.Sprintf("an answer to %s is lost with its connection at %s", t.Actor, traces.Moment(t.Event.At))
	}
	t.Event = drop
	return segmentText(t, drop) + " is lost with its connection"
}
