package failover

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/server"
)

// Cluster is one primary with its replicas, each an S, and a stable address that leads to the
// present primary.
type Cluster[S any] struct {
	// Holds is set if messages to a hanging replica wait until it resumes.
	Holds bool

	world   *sim.World
	name    string
	address string
	observe func(model.Observation)
	nodes   []*Node[S]
	primary *Node[S]
	epoch   int64 // the epoch of the primary's promotion, 0 if promotions have none
}

// NewCluster makes a cluster without nodes. Errors begin with the name. Address is the stable
// address. Every observation of the cluster goes to observe.
func NewCluster[S any](w *sim.World, name, address string, observe func(model.Observation)) *Cluster[S] {
	return &Cluster[S]{world: w, name: name, address: address, observe: observe}
}

// Add adds a node. Accept takes the connections of its clients. Resync makes it follow a
// source, by [Node.Resync].
func (c *Cluster[S]) Add(s S, name, address string, accept func(*sim.ServerConn) sim.Handler, resync func(source S)) *Node[S] {
	n := &Node[S]{Host: server.NewHost(c.world, name, address, accept), Server: s, cluster: c, resync: resync}
	c.nodes = append(c.nodes, n)
	return n
}

// Begin makes the first node the primary, and the others its replicas, with the same data.
func (c *Cluster[S]) Begin() {
	c.primary = c.nodes[0]
	c.primary.primary = true
	for _, n := range c.nodes[1:] {
		n.follow(c.primary)
	}
	c.world.Network().Route(c.address, func() string { return c.primary.Address() })
}

// Address returns the stable address of the primary. A new connection to it goes to the node that is
// primary when the attempt arrives.
func (c *Cluster[S]) Address() string { return c.address }

// Primary returns the node that the stable address leads to.
func (c *Cluster[S]) Primary() S { return c.primary.Server }

// Nodes returns all nodes, in the order of their names.
func (c *Cluster[S]) Nodes() []S {
	list := make([]S, len(c.nodes))
	for i, n := range c.nodes {
		list[i] = n.Server
	}
	return list
}

// Promote makes a replica the primary, and lets the other replicas that are up follow it. Promoted
// is called before they do.
func (c *Cluster[S]) Promote(n *Node[S], promoted func()) error {
	switch {
	case n.Down():
		return fmt.Errorf("%s: %s is down and cannot be promoted", c.name, n.Name())
	case n.primary:
		return fmt.Errorf("%s: %s is a primary already", c.name, n.Name())
	}
	c.primary = n
	c.turn(n, model.Observation{Kind: model.Promoted}, promoted)
	for _, other := range c.nodes {
		if !other.primary && !other.Down() {
			other.resync(n.Server)
		}
	}
	return nil
}

// Elect makes a node a primary, by the decision of an epoch, and does not change the others. The
// primary of the latest epoch is the cluster's. Promoted is called when the node takes itself for a
// primary.
func (c *Cluster[S]) Elect(n *Node[S], epoch int64, promoted func()) {
	if n == c.primary && n.primary {
		c.epoch = max(c.epoch, epoch)
		return
	}
	if epoch <= c.epoch {
		c.turn(n, model.Observation{Kind: model.Noted, Note: &outvoted}, promoted)
		return
	}
	c.primary, c.epoch = n, epoch
	c.turn(n, model.Observation{Kind: model.Promoted, Epoch: epoch}, promoted)
}

// Reinstate makes a node that takes itself for a primary the primary of the cluster again. It must be
// called before the present primary follows it.
func (c *Cluster[S]) Reinstate(n *Node[S]) {
	c.primary = n
	n.Observe(model.Observation{Kind: model.Promoted, Epoch: c.epoch})
}

// outvoted is the note of a node that a sentinel has promoted too late.
var outvoted = model.Note{
	Event: "outvoted", Text: "{node} takes itself for a {serving}, by a decision that a later one has replaced",
}

// turn makes a node take itself for a primary.
func (c *Cluster[S]) turn(n *Node[S], o model.Observation, promoted func()) {
	n.Leave()
	n.primary = true
	n.Observe(o)
	promoted()
}

// Restart restarts a crashed node: the cluster's primary by up, after which replicas that are up
// are loaded again; any other node by rejoin.
func (c *Cluster[S]) Restart(n *Node[S], up func(), rejoin func(S) error) error {
	switch {
	case !n.Down():
		return fmt.Errorf("%s: %s is up and cannot be started", c.name, n.Name())
	case n != c.primary:
		return rejoin(n.Server)
	}
	up()
	for _, other := range c.nodes {
		if other != n && !other.Down() {
			other.resync(n.Server)
		}
	}
	return nil
}
