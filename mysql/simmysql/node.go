package simmysql

import (
	"slices"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/mysql/sql"
	"github.com/lockpick-dev/lockpick/sim"
)

func newNode(c *Cluster, number int) {
	n := &Node{cluster: c, world: c.world, locks: map[string]*namedLock{}}
	digits := strconv.Itoa(number)
	n.part = c.Add(n, namePrefix+digits, subnet+digits+":3306", n.accept, n.resync)
	n.clock = c.world.NewTimepiece(0, 0)
	n.data = sql.NewDatabase(dialect, host{n})
}

// Syncing reports whether the replica waits for a full copy of its source's data, and has its
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
// committed is on its disk; open transactions and locks are gone.
func (n *Node) Crash() {
	if !n.part.Crash(n.Observe) {
		return
	}
	n.endSessions(&sql.Ending{Kind: model.RecordDropped})
	n.world.Network().Crash(n.Actor)
	n.locks = map[string]*namedLock{}
	n.Leave()
}

// endSessions ends all sessions.
func (n *Node) endSessions(end *sql.Ending) {
	for _, s := range n.sessions { // nobody gets what another has had
		if s.Busy() {
			s.request.leaveQueue()
			s.LeaveQueue()
		}
	}
	n.abandonAcks(end)
	for _, c := range slices.Clone(n.conns) {
		c.closed = true // nothing is answered any more
		if c.session != nil {
			c.session.close(end)
		}
	}
	n.conns = nil
	n.data.Unsettle()
	n.Held()
}

// disconnect resets all connections, with a separate event for each client.
func (n *Node) disconnect() {
	n.endSessions(&sql.Ending{Kind: model.RecordDropped})
	n.recover()
	for _, c := range n.world.Network().Conns(n.Actor) {
		c.Reset(n.Actor)
	}
}

// up starts a crashed node again with what was committed.
func (n *Node) up() {
	n.Start()
	n.Observe(model.Observation{Kind: model.Returned})
	n.recover()
}

// host is the node as the host of its data.
type host struct{ node *Node }

func (h host) Now() time.Time { return h.node.now() }

func (h host) Stamp() model.Stamp {
	return model.Stamp{Seq: h.node.world.Logged(), At: h.node.world.Now()}
}

func (h host) After(d time.Duration, what string, fire func()) sql.Timer {
	return h.node.after(d, what, fire)
}

func (h host) IsReadOnly() bool { return h.node.readOnly() }

func (h host) Ship(t *sql.Txn) (waits bool) { return h.node.ship(t) }

func (h host) Defined(by sql.Watcher, d sql.Definition) { h.node.defined(by.(*session), d) }

func (h host) Changed(c sql.RowChange) { h.node.observeRow(c) }
