package scenarios

import (
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/simredis"
)

const (
	restartFault      sim.Kind = "fault:restart"
	cleanRestartFault sim.Kind = "fault:clean-restart"
)

const restartOdds = 80

// kept are what a node may still have when it has restarted, in the order of
// the decision's options.
var kept = map[sim.Kind][]simredis.Kept{
	restartFault:      {simredis.KeptAll, simredis.KeptUntilSync, simredis.KeptNothing},
	cleanRestartFault: {simredis.KeptAll},
}

// restarts lets a primary crash, before any event of anybody, and start again
// soon after, as the primary still. Nobody is promoted: it is back too soon.
type restarts struct {
	*stage
	actor  *sim.Actor
	kind   sim.Kind
	budget int
}

// Before is the injector's question.
func (f *restarts) Before(sim.Upcoming) bool {
	if f.budget == 0 {
		return false
	}
	kept := kept[f.kind]
	option := f.world.Choose(sim.Decision{
		Kind: f.kind, Actor: f.actor.Name(), Options: 1 + len(kept)*f.servers.idle(), Odds: restartOdds,
	})
	if option == 0 {
		return false
	}
	f.budget--
	s, keeps := f.servers.idleAt((option-1)/len(kept)), kept[(option-1)%len(kept)]
	s.busy = true
	node := s.Primary()
	node.Crash()
	f.later(f.actor, outage(f.params), "restart", func() {
		must(s.Restart(node, keeps))
		s.busy = false
	})
	return true
}
