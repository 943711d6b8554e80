package faults

import (
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

const lag sim.Kind = "fault:lag"

// Lags delay messages between nodes, by the lengths of [Delays]. A follower then learns late
// of commits, and meanwhile answers with old data.
var Lags = &stage.Fault{
	Name: "lags", Most: 64,
	About: "how many messages between {node}s may be late",
	One:   "a message between {node}s that is held back for",
	Many:  "messages between {node}s that are held back for",
	Lasts: bothWays,
	Late: func(s *stage.Stage, budget int) sim.Lateness {
		return lateness(s, lag, bothWays, sim.Lateness{Budget: budget, Odds: oneWayOdds, Of: func(from, to *sim.Actor) bool {
			return s.Cluster.Node(from) != nil && s.Cluster.Node(to) != nil
		}})
	},
	Kinds:    []sim.Kind{lag},
	Describe: describeLate,
}
