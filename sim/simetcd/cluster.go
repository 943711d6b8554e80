package simetcd

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Options describe a cluster.
type Options struct {
	// Members is the number of servers, 1 to 5 (default 3).
	Members int
	// Transport takes the clients' connections. There is no default.
	Transport Transport
	// Election is etcd's election time-out (default 1 s): for how long members do without
	// each other before a follower looks for another leader, and a leader that has too few
	// followers steps down. The shortest lease lasts half as long again, in whole seconds,
	// rounded up.
	Election time.Duration
	// Vote is how long it takes to elect a leader once a majority looks for one (default a
	// fifth of Election).
	Vote time.Duration
	// StaleKeepAlive makes servers behave as those before 3.4.31 and 3.5.13: a leader that
	// comes to from a hang renews leases before it hears that there is another leader. Those
	// that have ended by its clock, for lack of keep-alives while it hung, it revokes: its
	// request goes to the other leader, at which they may have been kept alive.
	StaleKeepAlive bool
}

const (
	// MostMembers is the largest cluster.
	MostMembers = 5
	// serverVersion is what the servers say that they are.
	serverVersion = "3.5.21"
	// clusterName is the cluster's name, and the prefix of the servers' names. They are numbered
	// from 1, and 1 leads at the beginning.
	clusterName = "etcd"
	// subnet is the prefix of the servers' addresses.
	subnet = "10.0.2"
)

func (o *Options) complete() {
	if o.Members == 0 {
		o.Members = 3
	}
	if o.Election == 0 {
		o.Election = time.Second
	}
	if o.Vote == 0 {
		o.Vote = o.Election / 5
	}
	if o.Members < 1 || o.Members > MostMembers {
		panic(fmt.Sprintf("simetcd: %d members: want 1 to %d", o.Members, MostMembers))
	}
	if o.Transport == nil {
		panic("simetcd: no transport")
	}
}

// shortestLease is the shortest time to live that a lease can have.
func (o Options) shortestLease() time.Duration {
	return time.Duration(math.Ceil((o.Election * 3 / 2).Seconds())) * time.Second
}

// patience is how long a server tries to carry out a request.
func (o Options) patience() time.Duration { return 5*time.Second + 2*o.Election }

// Cluster is an etcd cluster. Only the conductor uses it.
type Cluster struct {
	world   *sim.World
	options Options
	nodes   []*Node
	observe func(model.Observation)

	leader    *Node // the last that a majority has followed
	term      int64
	committed []*entry               // by all leaders, in order: the truth
	leased    []leased               // committed keys of leases, in the order of their last changes
	clients   map[int64]model.Origin // that were granted the leases, by their numbers
	parted    []*sim.Partition
	election  func() // cancels the next election; nil if there is none
}

// New adds a cluster to the world. Every observation of it goes to observe.
func New(w *sim.World, o Options, observe func(model.Observation)) *Cluster {
	o.complete()
	c := &Cluster{world: w, options: o, observe: observe, clients: map[int64]model.Origin{}, term: 2} // the first is that of the first election
	for i := range o.Members {
		c.nodes = append(c.nodes, newNode(c, i+1))
	}
	c.nodes[0].lead(c.term, c.nodes[1:]...)
	w.OnFault(c.fault)
	return c
}

// Name is the name of the cluster as the authority over its records.
func (*Cluster) Name() string { return clusterName }

// Nodes are all servers, in the order of their names.
func (c *Cluster) Nodes() []*Node { return c.nodes }

// Leader is the server that leads, or the last one that did.
func (c *Cluster) Leader() *Node { return c.leader }

// Addresses are the servers' addresses.
func (c *Cluster) Addresses() []string {
	list := make([]string, len(c.nodes))
	for i, n := range c.nodes {
		list[i] = n.address
	}
	return list
}

// Healed reports whether there is a leader that all other servers follow, and no
// server hangs.
func (c *Cluster) Healed() bool {
	for _, n := range c.nodes {
		if n.down || n.Hangs() || n.leader != c.leader || n.term != c.term || n.leads != nil && !n.leads.established {
			return false
		}
	}
	return true
}

func (c *Cluster) quorum() int { return len(c.nodes)/2 + 1 }

// address is that of a server, by its number from 1.
func (c *Cluster) address(number int) string {
	return subnet + "." + strconv.Itoa(number) + ":2379"
}

// identity is a number that looks like those that etcd makes of hashes.
func identity(of string) uint64 {
	var d sim.Digest
	d.String(of)
	return d.Sum()
}

// fault notes partitions between servers.
func (c *Cluster) fault(f sim.Fault) {
	switch f.Kind {
	case sim.FaultPartition:
		c.parted = append(c.parted, f.Sides)
	case sim.FaultUnited:
		c.unite(f.Sides)
	default:
		return
	}
	c.changed()
}

func (c *Cluster) unite(p *sim.Partition) {
	for i, q := range c.parted {
		if q.String() == p.String() {
			c.parted = append(c.parted[:i:i], c.parted[i+1:]...)
			return
		}
	}
}

// connected reports whether two servers reach each other. A connection whose one
// direction is cut is of no use to them.
func (c *Cluster) connected(a, b *Node) bool {
	for _, p := range c.parted {
		if slices.Contains(p.A, a.Actor) && slices.Contains(p.B, b.Actor) ||
			slices.Contains(p.A, b.Actor) && slices.Contains(p.B, a.Actor) {
			return false
		}
	}
	return true
}

// commit is the moment at which an entry of the log is committed: the first leader that can
// says so.
func (c *Cluster) commit(n *Node, x *entry) (first bool) {
	if n.applied < len(c.committed) {
		if c.committed[n.applied] != x {
			panic(fmt.Sprintf("simetcd: %s commits another entry at %d than was committed", n.Name(), n.applied+1))
		}
		return false
	}
	c.committed = append(c.committed, x)
	return true
}
