package faults

import (
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

const crash sim.Kind = "fault:crash"

// Crashes kill client processes before any event of theirs. Data that they have sent still arrives;
// data in flight to them is lost; nobody releases their locks.
//
// If processes can be restarted ([stage.Stage].Revives), the tape chooses whether one is, and when:
// almost at once, within a lease, or when its leases have ended.
var Crashes = &stage.Fault{
	Name: "crashes", Most: 16,
	About: "how many client processes may crash",
	One:   "a crash of a client", Many: "crashes of clients",
	Inject: func(s *stage.Stage, budget int) {
		options, injector := 1, (*sim.Actor)(nil)
		if s.Revives != nil {
			options, injector = 1+len(comebacks), s.World.NewActor("crashes")
		}
		s.Strike(budget, stage.Strikes{
			Kind: crash, Options: options, Odds: 60,
			Can: func(e sim.Upcoming) bool { return s.Running(e) != nil },
			Do: func(e sim.Upcoming, option int) bool {
				dead := s.Client(e.Actor)
				dead.Kill()
				if option < len(comebacks) && s.Revives != nil {
					s.Revive(injector, dead, comeback(s.Params, option))
				}
				return true
			},
		})
	},
	Kinds: []sim.Kind{crash},
	Describe: func(t *stage.Choice) string {
		if !t.Struck(sim.FaultCrash) {
			return ""
		}
		text := t.Actor + " crashes at " + traces.Moment(t.Event.At)
		if t.Options <= 2 {
			return text
		}
		again := t.Strike(func(e *sim.Event) bool { return e.Seq > t.Event.Seq && e.Actor == t.Actor && e.Kind == sim.EventFault })
		if again == nil {
			return text + " for good"
		}
		return text + fmt.Sprintf(" and starts anew at %s", traces.Moment(again.At))
	},
}

// comebacks are the times until a process is restarted, in percent of the TTL.
var comebacks = [...]time.Duration{5, 60, 250}

func comeback(p stage.Params, option int) time.Duration { return p.TTL * comebacks[option] / 100 }
