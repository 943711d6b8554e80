package quorum

import (
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/server"
)

// Rules hold the differences between the groups of different stores.
type Rules[S any] struct {
	// Name is the group's name, as the authority over its records.
	Name string
	// Patience is how long a server waits for a silent leader, or a leader for a silent majority.
	// Vote is how long an election takes once a majority looks for a leader.
	Patience, Vote time.Duration
	// AtOnce is set if a server that is connected to its leader learns at once that the leader
	// has ended or given up, and a leader that too few followers are left.
	AtOnce bool
	// HangCounts is set if the time for which a server hung counts toward its Patience.
	HangCounts bool
	// Compare compares the logs that two servers have accepted. The greater log has all committed
	// entries; so have both if they are equal.
	Compare func(a, b S) int
	// Joins reports whether a server that reaches the leader begins to follow it, without an
	// election.
	Joins func(n, leader S) bool
}

// Group are servers, each an S, that replicate one log of entries E.
type Group[S, E comparable] struct {
	rules   Rules[S]
	world   *sim.World
	observe func(model.Observation)
	members []*Member[S, E]

	leader    *Member[S, E] // the last leader that a majority has followed
	term      int64         // of the last election
	committed []E           // by all leaders, in order
	reach     *server.Reach
	election  func() // cancels the next election; nil if there is none
}

// NewGroup makes a group without members. Every observation of them goes to observe.
func NewGroup[S, E comparable](w *sim.World, rules Rules[S], observe func(model.Observation)) *Group[S, E] {
	g := &Group[S, E]{rules: rules, world: w, observe: observe}
	g.reach = server.NewReach(w, g.Changed)
	return g
}

// Begin makes the first member the leader of a term, whom all others follow.
func (g *Group[S, E]) Begin(term int64) {
	g.term = term
	g.members[0].lead(term, g.members[1:]...)
}

// Name returns the name of the group as the authority over its records.
func (g *Group[S, E]) Name() string { return g.rules.Name }

// Nodes returns all servers, in the order of their names.
func (g *Group[S, E]) Nodes() []S {
	list := make([]S, len(g.members))
	for i, m := range g.members {
		list[i] = m.Server
	}
	return list
}

// Leader returns the present leader, or the last one.
func (g *Group[S, E]) Leader() S { return g.leader.Server }

// Term returns the term of the last election.
func (g *Group[S, E]) Term() int64 { return g.term }

// Committed returns the committed entries, in order.
func (g *Group[S, E]) Committed() []E { return g.committed }

// Addresses returns the servers' addresses.
func (g *Group[S, E]) Addresses() []string {
	list := make([]string, len(g.members))
	for i, m := range g.members {
		list[i] = m.Address()
	}
	return list
}

// Healed reports whether all servers follow one leader, and none hangs.
func (g *Group[S, E]) Healed() bool {
	for _, m := range g.members {
		if m.Down() || m.Hangs() || m.leader != g.leader || m.Term != g.term || m.leads != nil && !m.Leads() {
			return false
		}
	}
	return true
}

// Quorum returns the number of servers in a majority.
func (g *Group[S, E]) Quorum() int { return len(g.members)/2 + 1 }

// connected reports whether two servers reach each other.
func (g *Group[S, E]) connected(a, b *Member[S, E]) bool { return g.reach.Connected(a.Actor, b.Actor) }

// commit notes that a leader commits an entry, and reports whether it is the first to do so.
func (g *Group[S, E]) commit(m *Member[S, E], x E) (first bool) {
	if m.Applied < len(g.committed) {
		if g.committed[m.Applied] != x {
			panic(fmt.Sprintf("%s: %s commits another entry at %d than was committed", g.rules.Name, m.Name(), m.Applied+1))
		}
		return false
	}
	g.committed = append(g.committed, x)
	return true
}
