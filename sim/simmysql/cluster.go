package simmysql

import (
	"fmt"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Options describe a cluster.
type Options struct {
	// Replicas is the number of replicas at the start.
	Replicas int
	// SemiSync makes a commit wait until a replica has it, or SemiSyncTimeout is over: from then
	// on the primary does not wait until a replica has caught up. The transaction
	// keeps its locks meanwhile, and nobody sees its changes
	// (rpl_semi_sync_master_wait_point=AFTER_SYNC).
	SemiSync        bool
	SemiSyncTimeout time.Duration // default 10 s
}

const (
	// databaseName is that of the only database.
	databaseName = "test"
	// serverVersion is what the servers say that they are.
	serverVersion = "10.11.19-MariaDB"
	// The defaults of rpl_semi_sync_master_timeout, innodb_lock_wait_timeout and wait_timeout.
	defaultSemiSyncTimeout = 10 * time.Second
	defaultLockWait        = 50 * time.Second
	defaultIdle            = 8 * time.Hour
	// namePrefix is the prefix of the nodes' names, subnet that of their addresses.
	namePrefix = "mysql"
	subnet     = "10.0.3."
)

// Cluster is one primary with its replicas, and a stable address that leads to the
// present primary. Only the conductor uses it.
type Cluster struct {
	world   *sim.World
	options Options
	nodes   []*Node
	primary *Node
	observe func(model.Observation)
}

// New adds a cluster to the world. Every observation of it goes to observe.
func New(w *sim.World, o Options, observe func(model.Observation)) *Cluster {
	if o.SemiSyncTimeout == 0 {
		o.SemiSyncTimeout = defaultSemiSyncTimeout
	}
	c := &Cluster{world: w, options: o, observe: observe}
	for i := range 1 + o.Replicas {
		c.nodes = append(c.nodes, newNode(c, i+1))
	}
	c.primary = c.nodes[0]
	c.primary.primary = true
	for _, n := range c.nodes[1:] {
		n.follow(c.primary)
	}
	w.Network().Route(c.Address(), func() string { return c.primary.address })
	return c
}

// Load carries statements out on all nodes at once, as if the data had been there before the
// run: to create tables, and rows in them. Rows are observed as created by nobody. It is for the time
// before any client connects.
func (c *Cluster) Load(statements ...string) error {
	for _, text := range statements {
		p, err := parse(text)
		if err != nil {
			return fmt.Errorf("simmysql: %q: %w", text, err)
		}
		for _, n := range c.nodes {
			s := newSession(n, 0, nil)
			s.database, s.replicates, s.loads = databaseName, true, true
			s.perform(&execution{statement: p.statement})
			switch {
			case s.outcome != nil:
				return fmt.Errorf("simmysql: %q: %w", text, s.outcome)
			case s.current != nil || s.txn != nil:
				s.close(nil)
				return fmt.Errorf("simmysql: %q: a statement that waits, or begins a transaction", text)
			}
		}
	}
	return nil
}

// Address is the stable address of the primary. A new connection to it goes to the
// node that is primary when the attempt arrives.
func (c *Cluster) Address() string { return subnet + "100:3306" }

// Primary is the node that the stable address leads to.
func (c *Cluster) Primary() *Node { return c.primary }

// Nodes are all nodes, in the order of their names.
func (c *Cluster) Nodes() []*Node { return c.nodes }

// Healed reports whether all nodes are up, none hangs, and every replica follows the primary
// and has all of its commits.
func (c *Cluster) Healed() bool {
	for _, n := range c.nodes {
		if n.down || n.Hangs() || n != c.primary && (n.source != c.primary || n.syncing || n.Lag() > 0) {
			return false
		}
	}
	return true
}

// Promote makes a replica the primary: new connections to the stable address lead
// to it, and the other replicas that are up follow it from now on. It must have its full copy ([Node.Syncing]). Commits that it
// had not received are lost, and so are all locks. The old primary, if it is up, goes on serving
// the clients connected to it until [Cluster.Rejoin].
func (c *Cluster) Promote(n *Node) error {
	switch {
	case n.down:
		return fmt.Errorf("simmysql: %s is down and cannot be promoted", n.Name())
	case n.primary:
		return fmt.Errorf("simmysql: %s is a primary already", n.Name())
	case n.syncing:
		return fmt.Errorf("simmysql: %s waits for a full copy and cannot be promoted", n.Name())
	}
	c.primary = n
	n.promote()
	for _, other := range c.nodes {
		if !other.primary && !other.down {
			other.resync(n)
		}
	}
	return nil
}

// Restart brings a crashed node back: the cluster's primary as the primary, with all that was committed,
// and any other node as a replica, as [Cluster.Rejoin] does.
func (c *Cluster) Restart(n *Node) error {
	switch {
	case !n.down:
		return fmt.Errorf("simmysql: %s is up and cannot be started", n.Name())
	case n != c.primary:
		return c.Rejoin(n)
	}
	n.up()
	for _, other := range c.nodes {
		if other != n && !other.down {
			other.resync(n)
		}
	}
	return nil
}

// Rejoin brings a node back as a replica of the present primary. It is loaded with
// the primary's data; rows that it alone had are observed as dropped. If it is up
// and acted as a primary, its clients are disconnected.
func (c *Cluster) Rejoin(n *Node) error {
	if n == c.primary {
		return fmt.Errorf("simmysql: %s is the primary and cannot follow itself", n.Name())
	}
	wasPrimary := n.primary
	switch {
	case n.down:
		n.primary = false
		n.up()
	case wasPrimary:
		n.disconnect()
		n.primary = false
		n.observe(model.Observation{Kind: model.Returned})
	}
	n.resync(c.primary)
	return nil
}

// address is that of a node, by its number from 1.
func (c *Cluster) address(number int) string {
	return subnet + strconv.Itoa(number) + ":3306"
}
