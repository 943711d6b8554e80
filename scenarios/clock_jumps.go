package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// jumpsBy are how far clocks jump: forward past the end of a lease, back by as
// much, and forward by half of one.
func jumpsBy(p Params) []time.Duration {
	lease := p.lease()
	return []time.Duration{lease * 5 / 4, -lease * 5 / 4, lease / 2}
}

// clockJumps lets the clocks of client processes jump, before any event of
// theirs. Timers that run are not moved.
type clockJumps struct {
	world   *sim.World
	clients processes
	budget  int
	by      []time.Duration
}

// Before is the injector's question.
func (f *clockJumps) Before(e sim.Upcoming) bool {
	p := f.clients.alive(e)
	if f.budget == 0 || p == nil {
		return false
	}
	option := f.world.Choose(sim.Decision{Kind: clockJumpFault, Actor: p.Name(), Options: 1 + len(f.by), Odds: jumpOdds})
	if option == 0 {
		return false
	}
	f.budget--
	p.Clock().Jump(f.by[option-1])
	f.world.Strike(p.Actor, sim.Fault{Kind: sim.FaultJump, By: f.by[option-1]})
	return true
}

// serverClockJumps lets the clocks of Redis nodes jump, before any event of
// theirs: no other moment makes a difference to anybody. Their keys expire
// early, or late.
type serverClockJumps struct {
	world  *sim.World
	nodes  nodes
	budget int
	by     []time.Duration
}

// Before is the injector's question.
func (f *serverClockJumps) Before(e sim.Upcoming) bool {
	n := f.nodes.up(e)
	if f.budget == 0 || n == nil {
		return false
	}
	option := f.world.Choose(sim.Decision{Kind: serverClockJumpFault, Actor: n.Name(), Options: 1 + len(f.by), Odds: jumpOdds})
	if option == 0 {
		return false
	}
	f.budget--
	n.Jump(f.by[option-1])
	return true
}
