package scenarios

import "github.com/lockpick-dev/lockpick/sim"

// crashes ends client processes for good, before any event of theirs: what they
// have sent still arrives, what is on its way to them is lost, and nobody
// releases what they hold.
type crashes struct {
	world   *sim.World
	clients processes
	budget  int
}

// Before is the injector's question.
func (f *crashes) Before(e sim.Upcoming) bool {
	p := f.clients.alive(e)
	if f.budget == 0 || p == nil {
		return false
	}
	if f.world.Choose(sim.Decision{Kind: crashFault, Actor: p.Name(), Options: 2, Odds: crashOdds}) == 0 {
		return false
	}
	f.budget--
	p.Kill()
	return true
}
