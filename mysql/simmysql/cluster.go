package simmysql

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/failover"
)

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

// Load executes statements on all nodes at once, to create tables and rows as if they had been there
// before the run. Rows are observed as created by nobody. It must be called before any client
// connects.
func (c *Cluster) Load(statements ...string) error {
	for _, text := range statements {
		p, err := c.parse(text)
		if err != nil {
			return fmt.Errorf("simmysql: %q: %w", text, asClientsSee(err))
		}
		for _, n := range c.Nodes() {
			s := newSession(n, 0, nil)
			s.Database, s.Privileged, s.loads = databaseName, true, true
			s.perform(p.Statement, nil, request{})
			switch {
			case s.outcome != nil:
				return fmt.Errorf("simmysql: %q: %w", text, asClientsSee(s.outcome))
			case s.Busy() || s.HasOpen():
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

// Promote makes a replica the primary: new connections to the stable address lead to it, and the other replicas that
// are up follow it from now on. It must have its full copy ([Node.Syncing]). Commits that it had not received are lost,
// and so are all locks. The old primary, if it is up, continues to serve the clients connected to it until
// [Cluster.Rejoin].
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
		n.Observe(model.Observation{Kind: model.Returned})
	}
	n.resync(c.Primary())
	return nil
}
