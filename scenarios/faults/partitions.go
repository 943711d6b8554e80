package faults

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// Decisions about partitions: whether one strikes and who is on which side; then its
// direction, its length, and which node is promoted.
const (
	partition         sim.Kind = "fault:partition"
	partitionHolds    sim.Kind = "fault:partition-holds"
	partitionLasts    sim.Kind = "fault:partition-lasts"
	partitionPromotes sim.Kind = "fault:partition-promotes"
	partitionElectors sim.Kind = "fault:partition-electors"
)

// Partitions separate a serving node, with none, some or all of the clients, from all others,
// before any event. The lengths are: less than a lease, more than one, more than the longest
// usual read time-out, and nearly a lease. Meanwhile a node of the other side may be promoted.
// The old node does not know that: it serves the requests that reach it, and becomes a follower
// soon after the sides are united and the other node is promoted, whichever is later.
var Partitions = &stage.Fault{
	Name: "partitions", Most: 16,
	About: "how often a partition may divide the network for a while",
	One:   "a partition between a {serving}, with some of the clients, and the others for",
	Many:  "partitions between a {serving}, with some of the clients, and the others for",
	Lasts: partitionLengths,
	More:  "in which direction a partition holds segments, and which {follower}, if any, is promoted meanwhile",
	Inject: func(s *stage.Stage, budget int) {
		s.Add(&partitions{Stage: s, actor: s.World.NewActor("partitions"), budget: budget})
	},
	Kinds:    []sim.Kind{partition, partitionHolds, partitionLasts, partitionPromotes, partitionElectors},
	Describe: describePartition,
}

const partitionOdds = 80

type partitions struct {
	*stage.Stage
	actor  *sim.Actor
	budget int
	parted bool

	companies [][]*sim.Actor // the clients that may be with a node
}

// Before asks the tape whether a partition strikes.
func (f *partitions) Before(sim.Upcoming) bool {
	if f.budget == 0 || f.parted {
		return false
	}
	if f.companies == nil {
		f.companies = f.chosen()
	}
	n := len(f.companies)
	option := f.ask(partition, 1+n*f.Cluster.Idle(), partitionOdds)
	if option == 0 {
		return false
	}
	f.budget--
	f.strike(f.Cluster.IdleAt((option-1)/n), f.companies[(option-1)%n])
	return true
}

func (f *partitions) ask(k sim.Kind, options, odds int) int {
	return f.World.Choose(sim.Decision{Kind: k, Actor: f.actor.Name(), Options: options, Odds: odds})
}

// chosen lists the sets of clients that may be with a node: all (if there are other
// nodes), each one alone, all but one, and none. Every set would be too many.
func (f *partitions) chosen() [][]*sim.Actor {
	var all []*sim.Actor
	for _, c := range f.Clients {
		all = append(all, c.Actor)
	}
	var list [][]*sim.Actor
	add := func(set ...*sim.Actor) {
		if !slices.ContainsFunc(list, func(s []*sim.Actor) bool { return slices.Equal(s, set) }) {
			list = append(list, set)
		}
	}
	if len(f.Cluster) > 1 || len(f.Cluster[0].Nodes()) > 1 {
		add(all...)
	}
	for _, c := range all {
		if len(all) > 1 {
			add(c)
		}
	}
	for i := range all {
		if len(all) > 1 {
			add(slices.Concat(all[:i], all[i+1:])...)
		}
	}
	add()
	return list
}

func (f *partitions) strike(s *stage.Server, company []*sim.Actor) {
	old := s.Serving()
	cut := f.cut(old, company)
	f.divide(&cut, up(s.Electors()))
	lengths, next := partitionLengths(f.Params, f.Timing()), s.Successors(nil)
	cut.Held = sim.Direction(f.ask(partitionHolds, 3, 0))
	length := lengths.Of(f.ask(partitionLasts, lengths.Count(), 0), f.World, old.Actor(), nil)
	promoted := f.ask(partitionPromotes, 1+len(next), 0)

	f.parted, s.Busy = true, true
	f.World.Network().Part(cut, length)
	over, promoting := false, promoted > 0
	// done ends the fault when the partition is over and no promotion is pending.
	done := func() {
		if !over || promoting {
			return
		}
		r, replicated := s.Authority.(stage.Replicated)
		if !replicated || s.Serving() == old {
			s.Busy = false
			return
		}
		f.Later(f.actor, f.Params.Outage(), "rejoin", func() {
			r.Rejoin(old)
			s.Busy = false
		})
	}
	if promoting {
		f.Later(f.actor, f.Params.Outage(), "promote", func() {
			s.Authority.(stage.Replicated).Promote(next[promoted-1])
			promoting = false
			done()
		})
	}
	f.World.At(f.actor, f.World.Now()+length, sim.EventFault, sim.EventOptions{Vital: true}, func() {
		f.World.Network().Unite(cut)
		f.parted, over = false, true
		done()
	})
}

// cut returns the partition with a node and its company on one side, and all others on the
// other.
func (f *partitions) cut(old stage.Node, company []*sim.Actor) sim.Partition {
	cut := sim.Partition{A: append([]*sim.Actor{old.Actor()}, company...)}
	for _, s := range f.Cluster {
		for _, n := range s.Nodes() {
			if n != old {
				cut.B = append(cut.B, n.Actor())
			}
		}
	}
	for _, c := range f.Clients {
		if !slices.Contains(company, c.Actor) {
			cut.B = append(cut.B, c.Actor)
		}
	}
	return cut
}

// divide puts the electors on the sides, as the tape decides: by default all of them on the other
// side, otherwise some with the node.
func (f *partitions) divide(cut *sim.Partition, electors []stage.Node) {
	if len(electors) == 0 {
		return
	}
	with := f.ask(partitionElectors, 1<<len(electors), 0)
	for i, n := range electors {
		if with>>i&1 == 1 {
			cut.A = append(cut.A, n.Actor())
		} else {
			cut.B = append(cut.B, n.Actor())
		}
	}
}

// describePartition describes a partition, or its course.
func describePartition(t *stage.Choice) string {
	o := t.Observed()
	if o.Kind != model.Parted || o.Sides == nil {
		return ""
	}
	a, b := story.List(o.Sides.A), story.List(o.Sides.B)
	switch t.Kind {
	case partition:
		return fmt.Sprintf("a partition parts %s from %s at %s", a, b, traces.Moment(t.Event.At))
	case partitionLasts:
		return "the partition lasts for " + traces.Briefly(o.For)
	case partitionHolds:
		if o.Sides.Held == model.FromBToA {
			a, b = b, a
		}
		return fmt.Sprintf("the partition holds only what goes from %s to %s", a, b)
	}
	if t.Kind == partitionElectors {
		return fmt.Sprintf("the partition leaves %s with %s", story.List(o.Sides.A[1:]), o.Sides.A[0])
	}
	promoted := t.Strike(func(e *sim.Event) bool { return e.Kind == sim.EventNote && e.Detail == string(model.Promoted) })
	if promoted == nil {
		return ""
	}
	t.Event = promoted
	return promoted.Actor + " is promoted meanwhile"
}

// partitionLengths returns the lengths of partitions.
func partitionLengths(p stage.Params, t stage.Timing) stage.Lengths {
	return t.Straddling(p, p.TTL*5/4, p.TTL+t.Long)
}
