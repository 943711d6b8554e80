package faults

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

const switchDelay sim.Kind = "fault:switch-delay"

// SwitchDelays delay messages of electors: to clients, which then learn late of a new serving node, and to each other,
// directly or through the nodes. The lengths are: a lease, which is the time until a lost message is repeated, and two
// and a half leases, which a step of a replacement may take.
var SwitchDelays = &stage.Fault{
	Name: "switch-delays", Most: 64,
	About: "how many messages of those that choose a {serving} may be late, to clients or to each other",
	One:   "a message of those that choose a {serving} that is held back for",
	Many:  "messages of those that choose a {serving} that are held back for",
	Lasts: switchLengths,
	Lacks: unlessElectors,
	Late: func(s *stage.Stage, budget int) sim.Lateness {
		return lateness(s, switchDelay, switchLengths, sim.Lateness{Budget: budget, Odds: oneWayOdds, Of: func(from, to *sim.Actor) bool {
			return isElector(s, from) || isElector(s, to) && s.Client(from) == nil
		}})
	},
	Kinds:    []sim.Kind{switchDelay},
	Describe: describeLate,
}

func isElector(s *stage.Stage, a *sim.Actor) bool {
	n := s.Cluster.Node(a)
	return n != nil && elects(s.Cluster, n)
}

func switchLengths(p stage.Params, _ stage.Timing) stage.Lengths {
	return stage.Lengths{Fixed: []time.Duration{p.TTL, p.TTL * 5 / 2}}
}
