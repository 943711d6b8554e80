package simredis

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/server"
)

// A primary with min-replicas-to-write counts good replicas: those of which it has heard within
// min-replicas-max-lag. Replicas acknowledge once a second, the lag is in whole seconds, and the primary
// checks it once a second. These messages are not sent here: the faults of the world show who hears whom.
// When a replica falls silent, the tape decides how long it still counts. A replica that ends its
// connection stops counting at once.

// LagTimer is the kind of the decisions about how long a silent replica still counts for its primary.
// Option i stands for [Options].MaxLag and i-1 periods.
const LagTimer sim.Kind = "fault:replica-lag"

const errNoReplicas = "NOREPLICAS Not enough good replicas to write."

// goodReplicas are those of one primary.
type goodReplicas struct {
	node *Node
	list []goodReplica
}

// goodReplica is a replica that counts until a time; never while it acknowledges.
type goodReplica struct {
	node  *Node
	until time.Duration
}

// count lets each primary of the cluster look at its replicas again, if there is a least number of them.
func (c *Cluster) count() {
	if c.options.MinReplicas == 0 {
		return
	}
	if c.reach == nil {
		c.reach = server.NewReach(c.world, c.count)
	}
	for _, n := range c.Nodes() {
		if !n.IsPrimary() || n.Down() {
			n.good.list = nil
			continue
		}
		for _, r := range c.Nodes() {
			if r != n {
				n.good.look(r)
			}
		}
	}
}

// look notes whether a replica acknowledges, and if not, until when it counts.
func (g *goodReplicas) look(r *Node) {
	c := g.node.cluster
	i := slices.IndexFunc(g.list, func(r2 goodReplica) bool { return r2.node == r })
	follows, reached := r.Source() == g.node && !r.Down(), c.reach.Connected(g.node.Actor, r.Actor)
	switch {
	case follows && reached && !r.Copying() && !r.Hangs():
		if i < 0 {
			i = len(g.list)
			g.list = append(g.list, goodReplica{node: r})
		}
		g.list[i].until = never
	case i < 0:
	case !follows && reached:
		g.list = slices.Delete(g.list, i, i+1)
	case g.list[i].until == never:
		const periods = 3
		n := c.world.Choose(sim.Decision{Kind: LagTimer, Actor: g.node.Name(), Options: 1 + periods})
		g.list[i].until = c.world.Now() + c.options.MaxLag + time.Duration(n-1)*c.options.Period
	}
}

// lacksReplicas reports whether the node refuses writes because too few replicas acknowledge.
func (n *Node) lacksReplicas() bool {
	if !n.IsPrimary() {
		return false
	}
	least := n.cluster.options.MinReplicas
	for _, r := range n.good.list {
		if r.until == never || n.world.Now() < r.until {
			least--
		}
	}
	return least > 0
}
