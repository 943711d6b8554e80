package faults

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

const pause sim.Kind = "fault:pause"

// Pauses pause a client process before any event of its own: for more than a lease, for more than the longest usual
// read time-out as well, and for the lengths of [stage.Timing.Straddling]; or for Params.Pause, if that is set.
var Pauses = &stage.Fault{
	Name: "pauses", Most: 16,
	About: "how often a client process may stop for a while",
	One:   "a pause of a client for", Many: "pauses of clients for",
	Lasts: pauseLengths,
	Inject: func(s *stage.Stage, budget int) {
		lengths := pauseLengths(s.Params, s.Timing())
		s.Strike(budget, stage.Strikes{
			Kind: pause, Options: lengths.Count(), Odds: 60,
			Can: func(e sim.Upcoming) bool { return s.Running(e) != nil },
			Do: func(e sim.Upcoming, class int) bool {
				return s.Client(e.Actor).Pause(lengths.Of(class, s.World, e.Actor, e.Conn()))
			},
		})
	},
	Kinds:    []sim.Kind{pause},
	Describe: func(t *stage.Choice) string { return stopped(t, "pauses") },
}

// stopped describes an actor that stops for a while.
func stopped(t *stage.Choice, verb string) string {
	if !t.Struck(sim.FaultPause) {
		return ""
	}
	text := t.Actor + " " + verb
	if o := t.Observed(); o.For > 0 {
		text += " for " + traces.Briefly(o.For)
	}
	return text + " at " + traces.Moment(t.Event.At)
}

// pauseLengths returns the lengths of pauses.
func pauseLengths(p stage.Params, t stage.Timing) stage.Lengths {
	if p.Pause > 0 {
		return stage.Lengths{Fixed: []time.Duration{p.Pause}}
	}
	return t.Straddling(p, p.TTL*5/4, p.TTL+t.Long)
}
