package scenarios

import "github.com/lockpick-dev/lockpick/sim"

// hangs lets Redis nodes that take themselves for primaries hang, before any
// event of theirs: a request arrives, and nothing is done or answered for a
// while.
type hangs struct {
	*stage
	budget int
	lengths
}

// Before is the injector's question.
func (f *hangs) Before(e sim.Upcoming) bool {
	n := f.up(e)
	if f.budget == 0 || n == nil || !n.IsPrimary() || n.Hangs() {
		return false
	}
	option := f.world.Choose(sim.Decision{Kind: hangFault, Actor: n.Name(), Options: 1 + f.classes(), Odds: hangOdds})
	if option == 0 {
		return false
	}
	f.budget--
	return n.Hang(f.length(option-1, f.world, n.Actor, e.Conn))
}
