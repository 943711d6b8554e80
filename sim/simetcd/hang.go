package simetcd

import (
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// Hangs reports whether the server hangs.
func (n *Node) Hangs() bool { return n.awake != nil }

// Hang stops the server for d, as SIGSTOP does: the machine goes on accepting connections
// and data, and nothing is executed or answered. Then the server executes all that has come,
// and hears only then what others did meanwhile. Its clock goes on. A server that is down or
// hangs already is left as it is, and the result is false.
func (n *Node) Hang(d time.Duration) bool {
	if n.down || n.Hangs() || d <= 0 {
		return false
	}
	n.world.Fault(n.Actor, sim.FaultPause, d)
	n.awake = n.world.At(n.Actor, n.world.Now()+d, sim.EventFault, sim.EventOptions{Vital: true}, func() {
		n.awake = nil
		n.world.Fault(n.Actor, sim.FaultResume, 0)
		n.resume()
	})
	n.cluster.changed()
	return true
}

// resume does what has come meanwhile.
func (n *Node) resume() {
	held := n.held
	n.held = nil
	n.catchingUp = true
	for _, f := range held {
		f()
	}
	n.catchingUp = false
	n.cluster.changed()
}

func (n *Node) endHang() {
	if n.awake != nil {
		n.awake()
		n.awake = nil
	}
}
