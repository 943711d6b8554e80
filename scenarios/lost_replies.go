package scenarios

import "github.com/lockpick-dev/lockpick/sim"

// lostReplies breaks connections when an answer of Redis is about to arrive:
// what was asked for has been done, and the client does not learn of it. The
// answers of the hand-shake are answers, too.
type lostReplies struct {
	world   *sim.World
	clients processes
	nodes   nodes
	budget  int
}

// Before is the injector's question.
func (f *lostReplies) Before(e sim.Upcoming) bool {
	if f.budget == 0 || e.Conn == nil || f.clients[e.Actor] == nil || f.nodes[e.Conn.Server()] == nil {
		return false
	}
	if f.world.Choose(sim.Decision{Kind: lostReplyFault, Actor: e.Actor.Name(), Options: 2, Odds: lostOdds}) == 0 {
		return false
	}
	f.budget--
	f.world.Strike(e.Actor, sim.Fault{Kind: sim.FaultLost, Task: e.Task})
	e.Conn.Reset(nil)
	return true
}
