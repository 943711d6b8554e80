package faults

import (
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

const crash sim.Kind = "fault:crash"

// Crashes end client processes for good, before any event of theirs: what they
// have sent still arrives, what is on its way to them is lost, and nobody
// releases what they hold.
var Crashes = &stage.Fault{
	Name: "crashes", Most: 16,
	About: "how many client processes may end for good",
	One:   "a crash of a client", Many: "crashes of clients",
	Inject: func(s *stage.Stage, budget int) { s.World.Inject(&crashes{Stage: s, budget: budget}) },
	Kinds:  []sim.Kind{crash},
	Tell: func(t *stage.Telling) string {
		if !t.Struck(sim.FaultCrash) {
			return ""
		}
		return t.Actor + " crashes at " + traces.Moment(t.Event.At)
	},
}

const crashOdds = 60

type crashes struct {
	*stage.Stage
	budget int
}

// Before is the injector's question.
func (f *crashes) Before(e sim.Upcoming) bool {
	p := f.Running(e)
	if f.budget == 0 || p == nil {
		return false
	}
	if f.World.Choose(sim.Decision{Kind: crash, Actor: p.Name(), Options: 2, Odds: crashOdds}) == 0 {
		return false
	}
	f.budget--
	p.Kill()
	return true
}
