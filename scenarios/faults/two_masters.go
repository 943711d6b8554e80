package faults

import (
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// Decisions about two serving nodes: whether the old one is cut off and from which clients, and for how long.
const (
	twoMasters      sim.Kind = "fault:two-masters"
	twoMastersLasts sim.Kind = "fault:two-masters-lasts"
)

// TwoMasters cut a serving node off from the electors and from its followers, but not from some of the clients,
// before any event. Those clients reach both sides. The lengths are: just longer than it usually takes to replace
// the node, twice that, and four times that. The replaced node goes on serving until the electors reach it and
// make it a follower.
var TwoMasters = &stage.Fault{
	Name: "two-masters", Most: 16,
	About: "how often a {serving} may be cut off from those that choose one, and from its {follower}s, but not from all clients",
	One:   "a {serving} that is cut off from those that choose one, but not from all clients, for",
	Many:  "{serving}s that are cut off from those that choose one, but not from all clients, for",
	Lasts: twoMastersLengths,
	Lacks: unlessServer[stage.Elected]("the {node}s are replaced by nobody"),
	Inject: func(s *stage.Stage, budget int) {
		s.Add(&masters{partitions{Stage: s, actor: s.World.NewActor("two-masters"), budget: budget}})
	},
	Kinds:    []sim.Kind{twoMasters, twoMastersLasts},
	Describe: describeTwoMasters,
}

const twoMastersOdds = 80

// masters strike like partitions, except that some clients reach both sides.
type masters struct{ partitions }

// Before asks the tape whether a serving node is cut off.
func (f *masters) Before(sim.Upcoming) bool {
	if f.budget == 0 || f.parted {
		return false
	}
	if f.companies == nil {
		all := f.chosen()
		f.companies = all[:len(all)-1] // without the last set, which is empty
	}
	n, replaced := len(f.companies), stage.With[stage.Elected](f.Cluster)
	option := f.ask(twoMasters, 1+n*replaced.Idle(), twoMastersOdds)
	if option == 0 {
		return false
	}
	f.budget--
	f.isolate(replaced.IdleAt((option-1)/n), f.companies[(option-1)%n])
	return true
}

// isolate cuts a server's serving node off for a while; the company reaches both sides.
func (f *masters) isolate(s *stage.Server, company []*sim.Actor) {
	cut := f.cut(s.Serving(), company)
	cut.A = cut.A[:1]
	for _, e := range s.Electors() {
		cut.B = append(cut.B, e.Actor())
	}
	lengths := twoMastersLengths(f.Params, f.Timing())
	length := lengths.Of(f.ask(twoMastersLasts, lengths.Count(), 0), f.World, cut.A[0], nil)
	f.parted, s.Busy = true, true
	f.World.Network().Part(cut, length)
	f.World.At(f.actor, f.World.Now()+length, sim.EventFault, sim.EventOptions{Vital: true}, func() {
		f.World.Network().Unite(cut)
		f.parted, s.Busy = false, false
	})
}

func twoMastersLengths(p stage.Params, _ stage.Timing) stage.Lengths {
	return stage.Lengths{Fixed: []time.Duration{p.TTL * 3 / 2, p.TTL * 3, p.TTL * 6}}
}

func describeTwoMasters(t *stage.Choice) string {
	o := t.Observed()
	if o.Kind != model.Parted || o.Sides == nil {
		return ""
	}
	if t.Kind == twoMastersLasts {
		return "the cut lasts for " + traces.Briefly(o.For)
	}
	return fmt.Sprintf("%s is cut off from %s at %s", story.List(o.Sides.A), story.List(o.Sides.B), traces.Moment(t.Event.At))
}
