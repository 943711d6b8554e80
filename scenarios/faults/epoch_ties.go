package faults

import (
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

const epochTie sim.Kind = "fault:epoch-tie"

// tie is the kind of the event at which electors are made to stand at the same moment.
const tie sim.FaultKind = "tie"

// EpochTies make the electors of a serving node stand for an election at the same moment, so that the votes are
// split and nobody is elected until they try again. They may strike while an elector takes the serving node for
// down.
var EpochTies = &stage.Fault{
	Name: "epoch-ties", Most: 16,
	About: "how often those that choose a {serving} may stand at the same moment, so that none has the votes",
	One:   "an election of a {serving} in which all stand at the same moment",
	Many:  "elections of a {serving} in which all stand at the same moment",
	Lacks: unlessServer[stage.Contesting]("nobody stands for an election"),
	Inject: func(s *stage.Stage, budget int) {
		s.Add(&ties{Stage: s, actor: s.World.NewActor("epoch-ties"), budget: budget})
	},
	Kinds: []sim.Kind{epochTie},
	Describe: func(t *stage.Choice) string {
		if !t.Struck(tie) {
			return ""
		}
		return "from " + traces.Moment(t.Event.At) + " on, all that stand for the next election do so at the same moment"
	},
}

const epochTieOdds = 8

type ties struct {
	*stage.Stage
	actor  *sim.Actor
	budget int
}

// Before asks the tape whether the next election is a tie.
func (f *ties) Before(sim.Upcoming) bool {
	if f.budget == 0 {
		return false
	}
	for _, s := range f.Cluster {
		c, can := s.Authority.(stage.Contesting)
		if !can || !c.Contested() {
			continue
		}
		if f.World.Choose(sim.Decision{Kind: epochTie, Actor: f.actor.Name(), Options: 2, Odds: epochTieOdds}) == 0 {
			continue
		}
		f.budget--
		f.World.Fault(f.actor, tie, 0)
		c.Contest()
		return true
	}
	return false
}
