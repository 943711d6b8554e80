package faults

import (
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

const crash sim.Kind = "fault:crash"

// Crashes kill client processes before any event of theirs. What they have sent still
// arrives; what is in flight to them is lost; nobody releases their locks.
var Crashes = &stage.Fault{
	Name: "crashes", Most: 16,
	About: "how many client processes may crash",
	One:   "a crash of a client", Many: "crashes of clients",
	Inject: func(s *stage.Stage, budget int) {
		s.Strike(budget, stage.Strikes{
			Kind: crash, Options: 1, Odds: 60,
			Can: func(e sim.Upcoming) bool { return s.Running(e) != nil },
			Do: func(e sim.Upcoming, _ int) bool {
				s.Client(e.Actor).Kill()
				return true
			},
		})
	},
	Kinds: []sim.Kind{crash},
	Tell: func(t *stage.Telling) string {
		if !t.Struck(sim.FaultCrash) {
			return ""
		}
		return t.Actor + " crashes at " + traces.Moment(t.Event.At)
	},
}
