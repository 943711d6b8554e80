package simmysql

import (
	"slices"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Node is one server: an actor, a clock, tables, and the sessions of its clients. It has an Address
// of its own. IsPrimary reports whether it takes itself for a primary, and Lag how many commits of its
// source a replica does not have yet. It is Down from a crash until it comes back. Only the
// conductor uses it.
type Node struct {
	*part
	cluster *Cluster
	world   *sim.World
	clock   *sim.Timepiece

	tables map[string]*table // by their keys
	names  []string          // of these, in the order in which they were created
	locks  map[string]*namedLock

	conns     []*conn
	sessions  []*session // in the order of their logins
	open      []*txn     // transactions, in the order in which they began
	awakened  []*session // whose waits are over
	moved     []*txn     // that wait for another transaction than before
	commits   int64      // so far
	purgeable []*txn     // commits that have left old versions behind
	taken     []*entry   // rows that are held exclusively, which was not observed yet
	revision  int64      // grows with each commit and each lock that is granted
	recovers  []*txn     // whose sessions have ended while they waited for a replica

	fallenBack  bool // it does not wait for replicas any more
	waitsForAck []ackWait
	silent      bool // changes of rows are not observed

	meter func(request string) time.Duration // nil: requests take no time
}

func newNode(c *Cluster, number int) {
	n := &Node{cluster: c, world: c.world, tables: map[string]*table{}, locks: map[string]*namedLock{}}
	digits := strconv.Itoa(number)
	n.part = c.Add(n, namePrefix+digits, subnet+digits+":3306", n.accept, n.resync)
	n.clock = c.world.NewTimepiece(0, 0)
}

// Syncing reports whether the replica waits for a full copy of its source's data, and has its
// old data until then.
func (n *Node) Syncing() bool { return n.Copying() }

// readOnly reports whether clients may not write: replicas are read-only.
func (n *Node) readOnly() bool { return !n.IsPrimary() }

// has reports whether a table is one of the node's, and was not dropped.
func (n *Node) has(t *table) bool { return n.tables[tableKey(t.name)] == t }

// now is the node's own time.
func (n *Node) now() time.Time { return n.clock.At(n.world.Now()).Truncate(time.Microsecond).UTC() }

// Jump moves the node's clock forward by d, or back if d is negative.
func (n *Node) Jump(d time.Duration) {
	n.clock.Jump(d)
	n.world.Strike(n.Actor, sim.Fault{Kind: sim.FaultJump, By: d})
}

// Hang stops the server for d, as SIGSTOP does: the machine goes on accepting connections
// and data, and nothing is executed or answered. Then the server executes all that has
// come. Its clock goes on. A server that is down or hangs already is left as it is, and
// the result is false.
func (n *Node) Hang(d time.Duration) bool {
	return n.part.Hang(d, func() {
		for _, f := range n.Held() {
			f()
		}
	})
}

// do does something now, or when the server has come to from a hang.
func (n *Node) do(f func()) { n.Do(f) }

// forget forgets a connection that is over.
func (n *Node) forget(c *conn) {
	n.conns = slices.DeleteFunc(n.conns, func(o *conn) bool { return o == c })
}

// Crash ends the node's process: its connections are reset and dials are refused. What was
// committed is on its disk; open transactions and locks are gone.
func (n *Node) Crash() {
	if !n.part.Crash(n.observe) {
		return
	}
	n.endSessions(&ending{kind: model.RecordDropped})
	n.world.Network().Crash(n.Actor)
	n.locks = map[string]*namedLock{}
	n.Leave()
}

// endSessions ends all sessions.
func (n *Node) endSessions(end *ending) {
	for _, s := range n.sessions { // nobody gets what another has had
		if s.current != nil {
			s.current.leaveQueue()
		}
	}
	n.abandonAcks(end)
	for _, c := range slices.Clone(n.conns) {
		c.closed = true // nothing is answered any more
		if c.session != nil {
			c.session.close(end)
		}
	}
	n.conns, n.awakened, n.moved, n.taken = nil, nil, nil, nil
	n.Held()
}

// disconnect resets all connections, each client by an event of its own.
func (n *Node) disconnect() {
	n.endSessions(&ending{kind: model.RecordDropped})
	n.recover()
	for _, c := range n.world.Network().Conns(n.Actor) {
		c.Reset(n.Actor)
	}
}

// up brings a crashed node back with what was committed.
func (n *Node) up() {
	n.Start()
	n.observe(model.Observation{Kind: model.Returned})
	n.recover()
}

// definition is a change of the tables themselves.
type definition struct {
	drop   string // the table to drop first; empty if there is none
	create *table // nil if there is none
	by     model.Origin
}

// define carries a definition out, and sends it to the replicas.
func (s *session) define(d definition) {
	s.node.redefine(d)
	if !s.loads {
		s.node.send([]effect{{define: &d}})
	}
}

func (n *Node) redefine(d definition) {
	if d.drop != "" {
		key := tableKey(d.drop)
		if t := n.tables[key]; t != nil {
			n.revision++
			for _, e := range t.clustered().entries {
				if v := e.row.committed(); v != nil && v.values != nil {
					n.observeRow(model.Observation{Kind: model.RecordDeleted, Owner: v.owner, By: d.by}, e.row, v)
				}
			}
			delete(n.tables, key)
			n.names = slices.DeleteFunc(n.names, func(name string) bool { return name == key })
		}
	}
	if d.create != nil {
		key := tableKey(d.create.name)
		n.tables[key] = d.create.withNumbers()
		n.names = append(n.names, key)
	}
}
