package faults

import (
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

const hang sim.Kind = "fault:hang"

// Hangs let nodes hang that take themselves for those that serve, before any event
// of theirs: a request arrives, and nothing is done or answered for a while, which
// is past a lease and the longest usual read time-out; past a lease alone; past
// four tries of a command together; and not quite as long as a lease.
var Hangs = &stage.Fault{
	Name: "hangs", Most: 16,
	About: "how often a {node} may do nothing for a while",
	One:   "a {serving} that hangs for", Many: "a {serving} that hangs, each time for",
	Lasts: hangLengths,
	Inject: func(s *stage.Stage, budget int) {
		s.World.Inject(&hangs{Stage: s, budget: budget, lengths: hangLengths(s.Params)})
	},
	Kinds: []sim.Kind{hang},
	Tell:  func(t *stage.Telling) string { return stopped(t, "hangs") },
}

const hangOdds = 30

type hangs struct {
	*stage.Stage
	budget  int
	lengths stage.Lengths
}

// Before is the injector's question.
func (f *hangs) Before(e sim.Upcoming) bool {
	n := f.Up(e)
	if f.budget == 0 || n == nil || !n.Serves() {
		return false
	}
	h, can := n.(stage.Hanger)
	if !can || h.Hangs() {
		return false
	}
	option := f.World.Choose(sim.Decision{Kind: hang, Actor: e.Actor.Name(), Options: 1 + f.lengths.Count(), Odds: hangOdds})
	if option == 0 {
		return false
	}
	f.budget--
	return h.Hang(f.lengths.Of(option-1, f.World, e.Actor, e.Conn))
}

// hangLengths are how long a node hangs.
func hangLengths(p stage.Params) stage.Lengths {
	return stage.Straddling(p.TTL+stage.LongTimeout, p.TTL*5/4, p.TTL+4*stage.LongTimeout, p.NearlyLease())
}
