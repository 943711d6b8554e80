package simredis

import (
	"fmt"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/failover"
	"github.com/lockpick-dev/lockpick/sim/server"
)

// Options describe a cluster.
type Options struct {
	// Replicas is the number of replicas at the start.
	Replicas int
	// Service is the time that a node takes for one command (default 20 us).
	Service time.Duration
	// Name is the prefix of the nodes' names (default "redis"); they are
	// numbered from 1, and 1 is the first primary.
	Name string
	// Names are the nodes' names, the first primary's first, if they are not
	// numbered from 1. Independent clusters in one world need them.
	Names []string
	// Subnet is the prefix of the nodes' addresses, an IPv4 literal without
	// the last number (default "10.0.1").
	Subnet string
	// MinReplicas is the number of replicas that must have acknowledged within MaxLag for a primary
	// to accept writes (min-replicas-to-write, default 0; min-replicas-max-lag, default 10 s).
	// Replicas acknowledge once a Period, and the primary checks as often (default 1 s).
	MinReplicas    int
	MaxLag, Period time.Duration
	// Preferred is the number of the replica that sentinels promote rather than others, whatever data
	// it has (replica-priority 50, where others have 100); 0 for none.
	Preferred int
	// Sentinels describes the sentinels that choose the primary; nil for none.
	Sentinels *Sentinels
	// Version is the kind and version of the server.
	Version Version
}

func (o *Options) setDefaults() {
	set := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	set(&o.Service, 20*time.Microsecond)
	set(&o.MaxLag, 10*time.Second)
	set(&o.Period, time.Second)
	if o.Name == "" {
		o.Name = "redis"
	}
	if o.Subnet == "" {
		o.Subnet = "10.0.1"
	}
}

// servers are the servers of a cluster, and part is one of them.
type (
	servers = failover.Cluster[*Node]
	part    = failover.Node[*Node]
)

// Cluster is one primary with its replicas, and a stable Address that leads to the present Primary.
// Its Nodes are in the order of their names. Only the conductor may use it.
type Cluster struct {
	*servers
	world     *sim.World
	options   Options
	sentinels *watch        // nil if there are none
	reach     *server.Reach // between nodes; nil if primaries need no replicas
}

// New adds a cluster to the world. Every observation of it goes to observe.
func New(w *sim.World, o Options, observe func(model.Observation)) *Cluster {
	o.setDefaults()
	c := &Cluster{world: w, options: o, servers: failover.NewCluster[*Node](w, "simredis", o.Subnet+".100:6379", observe)}
	for i := range 1 + o.Replicas {
		newNode(c, i+1)
	}
	c.Begin()
	if o.Sentinels != nil {
		c.sentinels = newWatch(c, *o.Sentinels, observe)
	}
	c.count()
	return c
}

// Promote makes a replica the primary: new connections to the stable address lead to
// it, and the other replicas that are up follow it from now on. Writes that it had not
// received are lost. The old primary, if it is up, goes on serving the clients
// connected to it until [Cluster.Rejoin]. A node of [Shards] cannot be promoted: its
// masters hold elections.
func (c *Cluster) Promote(n *Node) error {
	if n.member != nil {
		return fmt.Errorf("simredis: %s is a node of a Redis Cluster, whose masters elect", n.Name())
	}
	return c.servers.Promote(n.part, n.promoted)
}

// Kept is the data that a node has after a restart.
type Kept int

// The data that a restart keeps.
const (
	// KeptAll: everything, to the last write (appendfsync always).
	KeptAll Kept = iota
	// KeptUntilSync: all but the last second before the crash (appendfsync
	// everysec).
	KeptUntilSync
	// KeptNothing: the node is empty, as without persistence.
	KeptNothing
)

// Restart brings a crashed node back with the data that it has kept: the cluster's
// primary as the primary, whose replicas are loaded anew, and any other node as a
// replica, as [Cluster.Rejoin] does. Lost keys are observed as dropped.
//
// With sentinels, and in a Redis Cluster ([Shards]), it returns in its old role: a
// primary that has been replaced takes itself for one until it learns of the new one.
func (c *Cluster) Restart(n *Node, k Kept) error {
	if n.member != nil {
		return n.member.restart(k)
	}
	if n.Down() && (n == c.Primary() || c.sentinels != nil && n.IsPrimary()) {
		defer n.expire() // keys that expired while it was down
	}
	up := func() {
		n.up()
		n.restore(k)
	}
	if c.sentinels != nil {
		return c.sentinels.restart(n, up)
	}
	return c.servers.Restart(n.part, up, c.Rejoin)
}

// Rejoin makes a node a replica of the present primary. The node is loaded with the
// primary's data; keys that only it had are observed as dropped. If it is up and acted
// as a primary, its clients are disconnected. A node of [Shards] that is down is
// restarted with all of its keys.
func (c *Cluster) Rejoin(n *Node) error {
	if n.member != nil {
		return n.member.restart(KeptAll)
	}
	if n == c.Primary() {
		return fmt.Errorf("simredis: %s is the primary and cannot follow itself", n.Name())
	}
	n.follow(c.Primary())
	return nil
}

// name returns the name of a node, by its number from 1.
func (c *Cluster) name(number int) string {
	if number <= len(c.options.Names) {
		return c.options.Names[number-1]
	}
	return c.options.Name + strconv.Itoa(number)
}
