package faults

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

const cutOff sim.Kind = "fault:cut-off"

// CutOffs cut a client process off from all nodes, in both directions, before any event of
// its own. Requests and answers wait, and arrive when the cut is over: after less than a
// session, or after more, so that the session has ended meanwhile.
var CutOffs = &stage.Fault{
	Name: "cut-offs", Most: 16,
	About: "how often a client may be cut off from all of {store} for a while",
	One:   "a client that is cut off from {store} for", Many: "clients that are cut off from {store} for",
	Lasts: partitionLengths,
	Inject: func(s *stage.Stage, budget int) {
		lengths := partitionLengths(s.Params, s.Timing())
		cut := map[*sim.Actor]bool{}
		s.Strike(budget, stage.Strikes{
			Kind: cutOff, Options: lengths.Count(), Odds: 60,
			Can: func(e sim.Upcoming) bool { return s.Running(e) != nil && !cut[e.Actor] },
			Do: func(e sim.Upcoming, class int) bool {
				p := sim.Partition{A: []*sim.Actor{e.Actor}}
				for _, server := range s.Cluster {
					for _, n := range server.Nodes() {
						p.B = append(p.B, n.Actor())
					}
				}
				length := lengths.Of(class, s.World, e.Actor, e.Conn())
				cut[e.Actor] = true
				s.World.Network().Part(p, length)
				s.World.At(e.Actor, s.World.Now()+length, sim.EventFault, sim.EventOptions{Vital: true}, func() {
					s.World.Network().Unite(p)
					delete(cut, e.Actor)
				})
				return true
			},
		})
	},
	Kinds:    []sim.Kind{cutOff},
	Describe: describeCutOff,
}

// describeCutOff describes a client that is cut off.
func describeCutOff(t *stage.Choice) string {
	o := t.Observed()
	if o.Kind != model.Parted || o.Sides == nil {
		return ""
	}
	return fmt.Sprintf("%s is cut off from %s for %s at %s", story.List(o.Sides.A), story.List(o.Sides.B), traces.Briefly(o.For), traces.Moment(t.Event.At))
}
