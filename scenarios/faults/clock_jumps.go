package faults

import (
	"fmt"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

const (
	clockJump       sim.Kind = "fault:clock-jump"
	serverClockJump sim.Kind = "fault:server-clock-jump"
)

// ClockJumps make the clocks of client processes jump before any event of theirs: forward
// past the end of a lease, back by as much, or forward by half a lease. Running timers do
// not move. A process that measures by a clock without jumps is not struck.
var ClockJumps = &stage.Fault{
	Name: "clock-jumps", Most: 16,
	About: "how often the clock of a client process may jump",
	One:   "a clock of a client that jumps", Many: "clocks of clients that jump",
	Lasts: jumps, Classes: jumpTexts,
	Inject: func(s *stage.Stage, budget int) {
		by := jumps(s.Params, s.Timing()).Fixed
		s.Strike(budget, stage.Strikes{
			Kind: clockJump, Options: len(by), Odds: jumpOdds,
			Can: func(e sim.Upcoming) bool {
				p := s.Running(e)
				return p != nil && !p.Measures()
			},
			Do: func(e sim.Upcoming, class int) bool {
				s.Client(e.Actor).Clock().Jump(by[class])
				s.World.Strike(e.Actor, sim.Fault{Kind: sim.FaultJump, By: by[class]})
				return true
			},
		})
	},
	Kinds:    []sim.Kind{clockJump},
	Describe: describeJump,
}

// ServerClockJumps make the clocks of servers jump, before any event of theirs; no other
// moment makes a difference. Keys expire early or late.
var ServerClockJumps = &stage.Fault{
	Name: "server-clock-jumps", Most: 16,
	About: "how often the clock of a {node} may jump",
	One:   "a clock of a {node} that jumps", Many: "clocks of {node}s that jump",
	Lasts: jumps, Classes: jumpTexts,
	Lacks: unlessNode[stage.Jumper]("a {node} uses no clock"),
	Inject: func(s *stage.Stage, budget int) {
		by := jumps(s.Params, s.Timing()).Fixed
		s.Strike(budget, stage.Strikes{
			Kind: serverClockJump, Options: len(by), Odds: jumpOdds,
			Can: func(e sim.Upcoming) bool {
				_, can := s.Up(e).(stage.Jumper)
				return can
			},
			Do: func(e sim.Upcoming, class int) bool {
				s.Cluster.Node(e.Actor).(stage.Jumper).Jump(by[class])
				return true
			},
		})
	},
	Kinds:    []sim.Kind{serverClockJump},
	Describe: describeJump,
}

const jumpOdds = 60

// jumps returns how far clocks jump.
func jumps(p stage.Params, _ stage.Timing) stage.Lengths {
	lease := p.LeaseAsked()
	return stage.Lengths{Fixed: []time.Duration{lease * 5 / 4, -lease * 5 / 4, lease / 2}}
}

func jumpTexts(p stage.Params, _ stage.Terms) (words []string) {
	for _, by := range jumps(p, stage.Timing{}).Fixed {
		words = append(words, strings.TrimPrefix(story.ClockText(&model.Observation{Kind: model.ClockJumped, Ahead: by}), "jumps "))
	}
	return words
}

func describeJump(t *stage.Choice) string {
	if !t.Struck(sim.FaultJump) {
		return ""
	}
	o := t.Observed()
	return fmt.Sprintf("the clock of %s %s at %s", t.Actor, story.ClockText(&o), traces.Moment(t.Event.At))
}
