package simredis

import (
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// Hang stops the node for d, like a process that is stopped, or that forks with too
// little memory: the machine goes on accepting connections and their data, and nothing
// is executed or answered. Then the node executes all requests that have arrived, even
// if their clients have closed the connection. Its clock runs on, so keys expire
// meanwhile. Hang does nothing, and returns false, if the node is down or hangs
// already.
//
// Effects that a hung replica receives are still applied, and answers that have
// left the node still arrive.
func (n *Node) Hang(d time.Duration) bool {
	resume := n.awake
	if n.member != nil {
		resume = n.member.resume
	}
	if !n.part.Hang(d, resume) {
		return false
	}
	n.cluster.changed()
	n.busyUntil = max(n.busyUntil, n.world.Now()+d+n.cluster.options.Service) // it wakes up first
	if n.member != nil {
		n.member.stop()
	}
	return true
}

// awake is the end of a hang.
func (n *Node) awake() {
	for _, f := range n.Held() {
		f()
	}
	n.cluster.changed()
}

// Jump makes the node's clock jump forward by d, or back if d is negative. The rest
// of every TTL changes with it.
func (n *Node) Jump(d time.Duration) {
	n.clock.Jump(d)
	n.world.Strike(n.Actor, sim.Fault{Kind: sim.FaultJump, By: d})
	n.ClockJumped()
}
