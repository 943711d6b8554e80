package faults

import (
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

const pause sim.Kind = "fault:pause"

// Pauses stop a client process for a while, before any event of its own: past a
// lease; past the half of it; past the longest usual read time-out as well; and
// not quite as long as a lease.
var Pauses = &stage.Fault{
	Name: "pauses", Most: 16,
	About: "how often a client process may stop for a while",
	One:   "a pause of a client for", Many: "pauses of clients for",
	Lasts: pauseLengths,
	Inject: func(s *stage.Stage, budget int) {
		s.World.Inject(&pauses{Stage: s, budget: budget, lengths: pauseLengths(s.Params)})
	},
	Kinds: []sim.Kind{pause},
	Tell:  func(t *stage.Telling) string { return stopped(t, "pauses") },
}

const pauseOdds = 60

type pauses struct {
	*stage.Stage
	budget  int
	lengths stage.Lengths
}

// Before is the injector's question.
func (f *pauses) Before(e sim.Upcoming) bool {
	p := f.Running(e)
	if f.budget == 0 || p == nil {
		return false
	}
	option := f.World.Choose(sim.Decision{Kind: pause, Actor: p.Name(), Options: 1 + f.lengths.Count(), Odds: pauseOdds})
	if option == 0 {
		return false
	}
	f.budget--
	return p.Pause(f.lengths.Of(option-1, f.World, p.Actor, e.Conn))
}

// stopped tells of an actor that stops for a while.
func stopped(t *stage.Telling, verb string) string {
	if !t.Struck(sim.FaultPause) {
		return ""
	}
	text := t.Actor + " " + verb
	if o := t.Observed(); o.For > 0 {
		text += " for " + traces.Briefly(o.For)
	}
	return text + " at " + traces.Moment(t.Event.At)
}

// pauseLengths are how long a client pauses.
func pauseLengths(p stage.Params) stage.Lengths {
	return stage.Straddling(p.TTL*5/4, p.TTL/2, p.TTL+stage.LongTimeout, p.NearlyLease())
}
