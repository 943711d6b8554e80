package simpostgres

import (
	"cmp"
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/failover"
)

// New adds a cluster to the world. Every observation of it goes to observe.
func New(w *sim.World, o Options, observe func(model.Observation)) *Cluster {
	o.SynchronousCommit = cmp.Or(o.SynchronousCommit, "on")
	o.Database, o.Role = cmp.Or(o.Database, DatabaseName), cmp.Or(o.Role, RoleName)
	if _, err := settingOf("synchronous_commit").read(o.SynchronousCommit); err != nil {
		panic(fmt.Sprintf("simpostgres: Options.SynchronousCommit: %v", err))
	}
	c := &Cluster{world: w, options: o, initial: initialSettings(o), parsed: map[string]parsed{}, servers: failover.NewCluster[*Node](w, "simpostgres", subnet+"100:5432", observe)}
	c.Holds = true
	for i := range 1 + o.Replicas {
		newNode(c, i+1)
	}
	c.Begin()
	w.OnEnd(c.end)
	return c
}

// end ends the coroutines, those of statements that still wait too.
func (c *Cluster) end() {
	for _, w := range c.workers {
		w.end()
	}
	c.workers = nil
	for _, n := range c.Nodes() {
		for _, s := range n.sessions {
			s.drop()
		}
	}
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
