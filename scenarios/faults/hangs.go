package faults

import (
	"slices"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

const hang sim.Kind = "fault:hang"

// Hangs make serving nodes hang before any event of theirs: requests arrive, and the node
// executes and answers nothing for a while. The lengths are: over a lease and the longest
// usual read time-out, over a lease alone, over four tries of a command, and those of
// [stage.Timing.Straddling].
var Hangs = &stage.Fault{
	Name: "hangs", Most: 16,
	About: "how often a {node} may do nothing for a while",
	One:   "a {serving} that hangs for", Many: "a {serving} that hangs, each time for",
	Lasts: hangLengths,
	Lacks: unlessNode[stage.Hanger]("a {node} cannot hang"),
	Inject: func(s *stage.Stage, budget int) {
		lengths := hangLengths(s.Params, s.Timing())
		s.Strike(budget, stage.Strikes{
			Kind: hang, Options: lengths.Count(), Odds: 30,
			Can: func(e sim.Upcoming) bool {
				n := s.Up(e)
				if n == nil || !n.Serves() && !elects(s.Cluster, n) {
					return false
				}
				h, can := n.(stage.Hanger)
				return can && !h.Hangs()
			},
			Do: func(e sim.Upcoming, class int) bool {
				return s.Cluster.Node(e.Actor).(stage.Hanger).Hang(lengths.Of(class, s.World, e.Actor, e.Conn()))
			},
		})
	},
	Kinds:    []sim.Kind{hang},
	Describe: func(t *stage.Choice) string { return stopped(t, "hangs") },
}

// elects reports whether the node is an elector.
func elects(c stage.Cluster, n stage.Node) bool {
	return slices.ContainsFunc(c, func(s *stage.Server) bool {
		return slices.ContainsFunc(s.Electors(), func(e stage.Node) bool { return e.Actor() == n.Actor() })
	})
}

// hangLengths returns the lengths of hangs.
func hangLengths(p stage.Params, t stage.Timing) stage.Lengths {
	return t.Straddling(p, p.TTL+t.Long, p.TTL*5/4, p.TTL+4*t.Long)
}
