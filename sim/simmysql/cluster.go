package simmysql

import (
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/internal/failover"
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

// servers are the servers of a cluster, and part is one of them.
type (
	servers = failover.Cluster[*Node]
	part    = failover.Node[*Node]
)

// Cluster is one primary with its replicas, and a stable Address that leads to the present Primary.
// Its Nodes are in the order of their names. Only the conductor uses it.
type Cluster struct {
	*servers
	world   *sim.World
	options Options
	parsed  map[string]parsed // statements by their texts: who waits sends the same again and again
}

// mostParsed is how many statements are remembered.
const mostParsed = 256

// parse is [parse] that remembers statements.
func (c *Cluster) parse(text string) (parsed, error) {
	if p, known := c.parsed[text]; known {
		return p, nil
	}
	p, err := parse(text)
	if err != nil {
		return p, err
	}
	if c.parsed == nil || len(c.parsed) == mostParsed {
		c.parsed = map[string]parsed{}
	}
	c.parsed[text] = p
	return p, nil
}

// New adds a cluster to the world. Every observation of it goes to observe.
func New(w *sim.World, o Options, observe func(model.Observation)) *Cluster {
	if o.SemiSyncTimeout == 0 {
		o.SemiSyncTimeout = defaultSemiSyncTimeout
	}
	c := &Cluster{world: w, options: o, servers: failover.NewCluster[*Node](w, "simmysql", subnet+"100:3306", observe)}
	c.Holds = true
	for i := range 1 + o.Replicas {
		newNode(c, i+1)
	}
	c.Begin()
	return c
}

// Load carries statements out on all nodes at once, as if the data had been there before the
// run: to create tables, and rows in them. Rows are observed as created by nobody. It is for the time
// before any client connects.
func (c *Cluster) Load(statements ...string) error {
	for _, text := range statements {
		p, err := c.parse(text)
		if err != nil {
			return fmt.Errorf("simmysql: %q: %w", text, err)
		}
		for _, n := range c.Nodes() {
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

// Healed reports whether all nodes are up, none hangs, and every replica follows the primary
// and has all of its commits.
func (c *Cluster) Healed() bool {
	for _, n := range c.Nodes() {
		if n.Down() || n.Hangs() || n != c.Primary() && (n.Source() != c.Primary() || n.Syncing() || n.Lag() > 0) {
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
	if n.Syncing() {
		return fmt.Errorf("simmysql: %s waits for a full copy and cannot be promoted", n.Name())
	}
	return c.servers.Promote(n.part, func() {})
}

// Restart brings a crashed node back: the cluster's primary as the primary, with all that was committed,
// and any other node as a replica, as [Cluster.Rejoin] does.
func (c *Cluster) Restart(n *Node) error { return c.servers.Restart(n.part, n.up, c.Rejoin) }

// Rejoin brings a node back as a replica of the present primary. It is loaded with
// the primary's data; rows that it alone had are observed as dropped. If it is up
// and acted as a primary, its clients are disconnected.
func (c *Cluster) Rejoin(n *Node) error {
	if n == c.Primary() {
		return fmt.Errorf("simmysql: %s is the primary and cannot follow itself", n.Name())
	}
	switch {
	case n.Down():
		n.StepDown()
		n.up()
	case n.IsPrimary():
		n.disconnect()
		n.StepDown()
		n.observe(model.Observation{Kind: model.Returned})
	}
	n.resync(c.Primary())
	return nil
}
