package simmysql

import (
	"slices"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Node is one server: an actor, a clock, tables, and the sessions of its clients. Only the
// conductor uses it.
type Node struct {
	*sim.Actor
	cluster *Cluster
	world   *sim.World
	address string
	clock   *sim.Timepiece

	primary bool
	down    bool
	awake   func()   // cancels the end of a hang; nil if it does not hang
	held    []func() // what has come while it hangs

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

	source      *Node // of a replica
	syncing     bool  // until its first full copy has arrived
	position    int64 // how many commits of the stream it has
	replicas    []*link
	fallenBack  bool // it does not wait for replicas any more
	waitsForAck []ackWait
	silent      bool // changes of rows are not observed
}

func newNode(c *Cluster, number int) *Node {
	n := &Node{
		Actor:   c.world.NewActor(namePrefix + strconv.Itoa(number)),
		cluster: c,
		world:   c.world,
		address: c.address(number),
		clock:   c.world.NewTimepiece(0, 0),
		tables:  map[string]*table{},
		locks:   map[string]*namedLock{},
	}
	n.listen()
	return n
}

func (n *Node) listen() { n.world.Network().Listen(n.address, n.Actor, n.accept) }

// Address is the node's own address.
func (n *Node) Address() string { return n.address }

// Down reports whether the node has crashed and not come back.
func (n *Node) Down() bool { return n.down }

// IsPrimary reports whether the node takes itself for a primary.
func (n *Node) IsPrimary() bool { return n.primary }

// Lag is how many commits of its source the replica does not have yet.
func (n *Node) Lag() int64 {
	if n.source == nil {
		return 0
	}
	return n.source.position - n.position
}

// Syncing reports whether the replica waits for a full copy of its source's data, and has its
// old data until then.
func (n *Node) Syncing() bool { return n.syncing }

// readOnly reports whether clients may not write: replicas are read-only.
func (n *Node) readOnly() bool { return !n.primary }

// has reports whether a table is one of the node's, and was not dropped.
func (n *Node) has(t *table) bool { return n.tables[tableKey(t.name)] == t }

// now is the node's own time.
func (n *Node) now() time.Time { return n.clock.At(n.world.Now()).Truncate(time.Microsecond).UTC() }

// Jump moves the node's clock forward by d, or back if d is negative.
func (n *Node) Jump(d time.Duration) {
	n.clock.Jump(d)
	n.world.Strike(n.Actor, sim.Fault{Kind: sim.FaultJump, By: d})
}

// do does something now, or when the server has come to from a hang.
func (n *Node) do(f func()) {
	if n.Hangs() {
		n.held = append(n.held, f)
		return
	}
	f()
}

// forget forgets a connection that is over.
func (n *Node) forget(c *conn) {
	n.conns = slices.DeleteFunc(n.conns, func(o *conn) bool { return o == c })
}

// Crash ends the node's process: its connections are reset and dials are refused. What was
// committed is on its disk; open transactions and locks are gone.
func (n *Node) Crash() {
	if n.down {
		return
	}
	n.world.Fault(n.Actor, sim.FaultCrash, 0)
	n.observe(model.Observation{Kind: model.Crashed})
	n.endHang()
	n.down = true
	n.endSessions(&ending{kind: model.RecordDropped})
	n.world.Network().Crash(n.Actor)
	n.locks = map[string]*namedLock{}
	n.leave()
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
	n.conns, n.held, n.awakened, n.moved, n.taken = nil, nil, nil, nil, nil
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
	n.down = false
	n.listen()
	n.observe(model.Observation{Kind: model.Returned})
	n.recover()
}

// promote makes a replica a primary.
func (n *Node) promote() {
	n.leave()
	n.primary = true
	n.observe(model.Observation{Kind: model.Promoted})
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
