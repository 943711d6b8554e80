package simpostgres

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/failover"
)

// New adds a cluster to the world. Every observation of it goes to observe.
func New(w *sim.World, o Options, observe func(model.Observation)) *Cluster {
	c := &Cluster{world: w, options: o, servers: failover.NewCluster[*Node](w, "simpostgres", subnet+"100:5432", observe)}
	c.Holds = true
	for i := range 1 + o.Replicas {
		newNode(c, i+1)
	}
	c.Begin()
	return c
}

func newNode(c *Cluster, number int) {
	n := &Node{cluster: c, world: c.world}
	digits := strconv.Itoa(number)
	n.part = c.Add(n, namePrefix+digits, subnet+digits+":5432", n.acceptDial, n.resync)
	n.clock = c.world.NewTimepiece(0, 0)
}

// Load executes statements on all nodes at once, to create tables and rows as if they had been there
// before the run. Rows are observed as created by nobody. It must be called before any client
// connects.
func (c *Cluster) Load(statements ...string) error {
	return errors.New("simpostgres: not yet")
}

// Healed reports whether all nodes are up, none hangs, and every standby follows the primary
// and has all of its log.
func (c *Cluster) Healed() bool {
	for _, n := range c.Nodes() {
		if n.Down() || n.Hangs() || n != c.Primary() && (n.Source() != c.Primary() || n.Syncing() || n.Lag() > 0) {
			return false
		}
	}
	return true
}

// Promote makes a standby the primary: new connections to the stable address lead to it, and the other standbys that
// are up follow it from now on. It must have its full copy ([Node.Syncing]). Commits that it had not received are lost,
// and so are all locks. The old primary, if it is up, continues to serve the clients connected to it until
// [Cluster.Rejoin].
func (c *Cluster) Promote(n *Node) error {
	if n.Syncing() {
		return fmt.Errorf("simpostgres: %s waits for a full copy and cannot be promoted", n.Name())
	}
	return c.servers.Promote(n.part, func() {})
}

// Restart brings a crashed node back: the cluster's primary as the primary, with all that was committed,
// and any other node as a standby, as [Cluster.Rejoin] does.
func (c *Cluster) Restart(n *Node) error { return c.servers.Restart(n.part, n.up, c.Rejoin) }

// Rejoin brings a node back as a standby of the present primary, as pg_rewind does. It is loaded with
// the primary's data; rows that it alone had are observed as dropped. If it is up
// and acted as a primary, its clients are disconnected.
func (c *Cluster) Rejoin(n *Node) error {
	if n == c.Primary() {
		return fmt.Errorf("simpostgres: %s is the primary and cannot follow itself", n.Name())
	}
	return errors.New("simpostgres: not yet")
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
// committed is on its disk; open transactions and locks are gone.
func (n *Node) Crash() {}

// up starts a crashed node again with what was committed.
func (n *Node) up() {}

func (n *Node) resync(source *Node) {}

func (n *Node) accept(t Transport) sim.Handler { panic("simpostgres: not yet") }

// Meter sets the function that returns how long each request takes the server, given its name: "SELECT",
// "SELECT ... FOR UPDATE", "SELECT ... FOR SHARE", "INSERT", "UPDATE", "DELETE", "BEGIN", "COMMIT",
// "ROLLBACK", "SET"; a SELECT of functions has the first function's name if it is one of locks, of sleep or of notifications,
// "pg_advisory_lock"; "CONNECT" is a login, "PARSE" the preparation of a statement. A standby calls it with the name
// "peer" for each commit that it applies.
//
// The server serves one request at a time, in the order of their arrival: it has one
// processor. A statement that waits for a lock takes its time when it arrives, and none when it
// goes on. Without a meter requests take no time.
func (n *Node) Meter(time func(request string) time.Duration) { n.meter = time }

// Acknowledges reports whether what the node has sent last on a connection says that a transaction
// was committed: the answer to a COMMIT, or to another statement that has committed changes.
func (n *Node) Acknowledges(on *sim.Conn) bool { return false }

// Contenders returns the connections whose transaction waits for a lock on a row, in the order of their
// logins, and the one whose statement asks for such locks, if that is about to arrive.
func (n *Node) Contenders(e sim.Upcoming) (list []*sim.Conn) { return nil }

// Deadlock ends the transaction of a connection as if it were in a deadlock with transactions of
// another program: by a separate event if it waits for a lock on a row, and otherwise when its
// statement, which is about to arrive, asks for one.
func (n *Node) Deadlock(c *sim.Conn) {}

// Terminate ends a connection's session, as pg_terminate_backend by an administrator does: FATAL 57P01.
// It reports whether there is such a session.
func (n *Node) Terminate(c *sim.Conn) bool { return false }
