package simredis

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
}

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
	if o.Service == 0 {
		o.Service = 20 * time.Microsecond
	}
	if o.Name == "" {
		o.Name = "redis"
	}
	if o.Subnet == "" {
		o.Subnet = "10.0.1"
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

// Address is the stable address of the primary. A new connection to it goes to the
// node that is primary when the attempt arrives.
func (c *Cluster) Address() string { return c.options.Subnet + ".100:6379" }

// Primary is the node that the stable address leads to.
func (c *Cluster) Primary() *Node { return c.primary }

// Nodes are all nodes, in the order of their names.
func (c *Cluster) Nodes() []*Node { return c.nodes }

// Promote makes a replica the primary: new connections to the stable address lead
// to it, and the other replicas that are up follow it from now on. Writes that it
// had not received are lost. The old primary, if it is up, goes on serving the
// clients connected to it until [Cluster.Rejoin].
func (c *Cluster) Promote(n *Node) error {
	switch {
	case n.down:
		return fmt.Errorf("simredis: %s is down and cannot be promoted", n.Name())
	case n.primary:
		return fmt.Errorf("simredis: %s is a primary already", n.Name())
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

// Kept is the data that a node has after a restart.
type Kept int

// The data that a restart keeps.
const (
	// KeptAll: everything, to the last write (appendfsync always).
	KeptAll Kept = iota
	// KeptUntilSync: all but the last second before the crash (appendfsync
	// everysec).
	KeptUntilSync
	// KeptNothing: the node comes back empty, as without persistence.
	KeptNothing
)

// Restart brings a crashed node back with the data that it has kept: the cluster's
// primary as the primary, whose replicas are loaded anew, and any other node as a
// replica, as [Cluster.Rejoin] does. Lost keys are observed as dropped.
func (c *Cluster) Restart(n *Node, k Kept) error {
	switch {
	case !n.down:
		return fmt.Errorf("simredis: %s is up and cannot be started", n.Name())
	case n != c.primary:
		return c.Rejoin(n)
	}
	n.up()
	n.restore(k)
	for _, other := range c.nodes {
		if other != n && !other.down {
			other.resync(n)
		}
	}
	n.expire() // what should have gone while it was down
	return nil
}

// Rejoin brings a node back as a replica of the present primary. It is loaded with
// the primary's data; keys that it alone had are observed as dropped. If it is up
// and acted as a primary, its clients are disconnected, as Sentinel does.
func (c *Cluster) Rejoin(n *Node) error {
	if n == c.primary {
		return fmt.Errorf("simredis: %s is the primary and cannot follow itself", n.Name())
	}
	wasPrimary := n.primary
	n.resync(c.primary)
	switch {
	case n.down:
		n.up()
	case wasPrimary:
		n.disconnect()
		n.observe(model.Observation{Kind: model.Returned})
	}
	return nil
}

// name is the name of a node, by its number from 1.
func (c *Cluster) name(number int) string {
	if number <= len(c.options.Names) {
		return c.options.Names[number-1]
	}
	return c.options.Name + strconv.Itoa(number)
}

func (c *Cluster) address(number int) string {
	return c.options.Subnet + "." + strconv.Itoa(number) + ":6379"
}
