package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// hangLengths are for how long a node hangs: past a lease and go-redis's read
// timeout; past a lease alone; and past all tries of a command together, which
// are four.
func hangLengths(p Params) []time.Duration {
	return []time.Duration{p.TTL + readTimeout, p.TTL * 5 / 4, p.TTL + 4*readTimeout}
}

// hangs lets Redis nodes that take themselves for primaries hang, before any
// event of theirs: a request arrives, and nothing is done or answered for a
// while.
type hangs struct {
	world  *sim.World
	nodes  nodes
	budget int
	length []time.Duration
}

// Before is the injector's question.
func (f *hangs) Before(e sim.Upcoming) bool {
	n := f.nodes.up(e)
	if f.budget == 0 || n == nil || !n.IsPrimary() || n.Hangs() {
		return false
	}
	option := f.world.Choose(sim.Decision{Kind: hangFault, Actor: n.Name(), Options: 1 + len(f.length), Odds: hangOdds})
	if option == 0 {
		return false
	}
	f.budget--
	return n.Hang(f.length[option-1])
}
