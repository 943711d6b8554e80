package scenarios

import (
	"slices"

	"github.com/lockpick-dev/lockpick/sim"
)

// Decisions about partitions: whether one strikes and who is on which side,
// then what it holds, how long it lasts and who is promoted meanwhile.
const (
	partitionFault   sim.Kind = "fault:partition"
	partitionHolds   sim.Kind = "fault:partition-holds"
	partitionLasts   sim.Kind = "fault:partition-lasts"
	partitionPromote sim.Kind = "fault:partition-promotes"
)

const partitionOdds = 80

// partitions lets the network part a primary, with none, some or all of the
// clients, from everybody else, before any event of anybody. Meanwhile one of
// the other side's replicas may be promoted, and the old primary does not know:
// it serves those on its side, and those whose requests reach it, until the
// sides are united. Soon after that it becomes a replica.
type partitions struct {
	*stage
	actor  *sim.Actor
	budget int
	parted bool

	companies [][]*sim.Actor // the clients that may be with a primary
}

// Before is the injector's question.
func (f *partitions) Before(sim.Upcoming) bool {
	if f.budget == 0 || f.parted {
		return false
	}
	if f.companies == nil {
		f.companies = f.chosen()
	}
	n := len(f.companies)
	option := f.ask(partitionFault, 1+n*f.servers.idle(), partitionOdds)
	if option == 0 {
		return false
	}
	f.budget--
	f.strike(f.servers.idleAt((option-1)/n), f.companies[(option-1)%n])
	return true
}

func (f *partitions) ask(k sim.Kind, options, odds int) int {
	return f.world.Choose(sim.Decision{Kind: k, Actor: f.actor.Name(), Options: options, Odds: odds})
}

// chosen lists the sets of clients that may be with a primary: all of them (if
// there are other nodes that it can be parted from), each one alone, each one
// left out, and none. Not all sets: of many clients there are too many.
func (f *partitions) chosen() [][]*sim.Actor {
	var all []*sim.Actor
	for _, c := range f.clients {
		all = append(all, c.Actor)
	}
	var list [][]*sim.Actor
	add := func(set ...*sim.Actor) {
		if !slices.ContainsFunc(list, func(s []*sim.Actor) bool { return slices.Equal(s, set) }) {
			list = append(list, set)
		}
	}
	if f.params.Replicas > 0 || len(f.servers) > 1 {
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

func (f *partitions) strike(s *server, company []*sim.Actor) {
	old := s.Primary()
	cut := sim.Partition{A: append([]*sim.Actor{old.Actor}, company...)}
	for _, other := range f.servers {
		for _, n := range other.Nodes() {
			if n != old {
				cut.B = append(cut.B, n.Actor)
			}
		}
	}
	for _, c := range f.clients {
		if !slices.Contains(company, c.Actor) {
			cut.B = append(cut.B, c.Actor)
		}
	}
	replicas, lengths := s.successors(), partitionLengths(f.params)
	cut.Held = sim.Direction(f.ask(partitionHolds, 3, 0))
	length := lengths.length(f.ask(partitionLasts, lengths.classes(), 0), f.world, old.Actor, nil)
	next := f.ask(partitionPromote, 1+len(replicas), 0)

	f.parted, s.busy = true, true
	f.world.Network().Part(cut, length)
	if next > 0 {
		f.later(f.actor, outage(f.params), "promote", func() { must(s.Promote(replicas[next-1])) })
	}
	f.world.At(f.actor, f.world.Now()+length, sim.EventFault, sim.EventOptions{Vital: true}, func() {
		f.world.Network().Unite(cut)
		f.parted = false
		if s.Primary() == old {
			s.busy = false
			return
		}
		f.later(f.actor, outage(f.params), "rejoin", func() {
			must(s.Rejoin(old))
			s.busy = false
		})
	})
}
