package simpostgres

import (
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/sim"
)

func newNode(c *Cluster, number int) {
	n := &Node{cluster: c, world: c.world}
	digits := strconv.Itoa(number)
	n.part = c.Add(n, namePrefix+digits, subnet+digits+":5432", n.acceptDial, n.resync)
	n.clock = c.world.NewTimepiece(0, 0)
	n.data = storage.NewDatabase(host{n})
}

// Syncing reports whether the standby waits for a full copy of its source's data, and has its
// old data until then.
func (n *Node) Syncing() bool { return n.Copying() }

// Jump moves the node's clock forward by d, or back if d is negative.
func (n *Node) Jump(d time.Duration) {
	n.clock.Jump(d)
	n.world.Strike(n.Actor, sim.Fault{Kind: sim.FaultJump, By: d})
	n.jumped = n.world.Logged()
}

// Hang stops the server for d, as SIGSTOP does: the machine still accepts connections and
// data, but nothing is executed or answered. After that the server executes all that has
// arrived. Its clock does not stop. Hang does nothing, and returns false, if the server
// is down or hangs already.
func (n *Node) Hang(d time.Duration) bool {
	return n.part.Hang(d, func() {
		for _, f := range n.Held() {
			f()
		}
	})
}

// Crash ends the node's process: its connections are reset and dials are refused. What was
// committed is on its disk, but for the last commits of synchronous_commit = off; open transactions and locks are gone.
func (n *Node) Crash() {
	if !n.part.Crash(n.Observe) {
		return
	}
	n.endSessions()
	n.world.Network().Crash(n.Actor)
	n.Leave()
}

// endSessions ends all sessions at once, and the commits that are not on the disk yet.
func (n *Node) endSessions() {
	n.flushes.Stop()
	n.flushes, n.unsent, n.waitsForAck, n.rested = nil, nil, nil, nil
	end := &storage.Ending{Kind: model.RecordDropped}
	sessions, conns := n.sessions, n.conns
	n.sessions, n.conns = nil, nil
	for _, c := range conns {
		c.closed = true // nothing is answered any more
	}
	for _, s := range sessions {
		s.halt(end)
	}
	n.data.Crash(end)
	for _, c := range conns {
		c.link.Lose()
	}
	n.Held()
}

// halt ends the session's timers, and its statement.
func (s *session) halt(end *storage.Ending) {
	s.closed = true
	s.stopIdling()
	s.timeout.Stop()
	s.drop()
	s.observeWaited(waitEnded)
	s.observeEnded(s.block == openBlock || s.block == failedBlock, false)
	s.observeEnd(end)
}

// disconnect resets all connections, with a separate event for each client: the server is stopped at once, and started again.
func (n *Node) disconnect() {
	n.endSessions()
	n.data.Recover()
	for _, c := range n.world.Network().Conns(n.Actor) {
		c.Reset(n.Actor)
	}
}

// up starts a crashed node again with what was committed.
func (n *Node) up() {
	n.Start()
	n.Observe(model.Observation{Kind: model.Returned})
	n.data.Recover()
}

// host is the node as the host of its data.
type host struct{ node *Node }

func (h host) Now() time.Time { return h.node.now() }

func (h host) Stamp() model.Stamp {
	return model.Stamp{Seq: h.node.world.Logged(), At: h.node.world.Now()}
}

func (h host) After(d time.Duration, what string, fire func()) storage.Timer {
	return h.node.after(d, what, fire)
}

func (h host) Ship(b *storage.Backend, c *storage.Changes) (waits bool) {
	return h.node.ship(b.Client().(*session), c)
}

func (h host) Changed(c storage.RowChange) { h.node.observeRow(c) }
