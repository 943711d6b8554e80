package simkube

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/quorum"
)

// Options describe a cluster.
type Options struct {
	// Servers is the number of API servers, 1 to 5 (default 1). Each has a member of etcd beside it.
	Servers int
	// Election is etcd's election time-out (default 1 s): for how long members do without each
	// other before a follower looks for another leader, and a leader that has too few followers
	// steps down.
	Election time.Duration
	// Vote is how long it takes to elect a leader once a majority looks for one (default a fifth of
	// Election).
	Vote time.Duration
	// CacheLag is how long after a server's member of etcd has a change the server's watch cache has
	// it: reads with resourceVersion=0 are answered from there, and watches.
	CacheLag time.Duration
}

const (
	// MostServers is the largest number of servers.
	MostServers = 5
	// clusterName is the name of the cluster as the authority over its leases.
	clusterName = "kube"
	// serverName is the prefix of the servers' names. They are numbered from 1, and the member of etcd
	// beside 1 leads at the beginning.
	serverName = "apiserver"
	// subnet is the prefix of the servers' addresses.
	subnet = "10.0.6"
)

func (o *Options) complete() {
	if o.Servers == 0 {
		o.Servers = 1
	}
	if o.Election == 0 {
		o.Election = time.Second
	}
	if o.Vote == 0 {
		o.Vote = o.Election / 5
	}
	if o.Servers < 1 || o.Servers > MostServers {
		panic(fmt.Sprintf("simkube: %d servers: want 1 to %d", o.Servers, MostServers))
	}
}

// patience returns how long etcd tries to carry out a request.
func (o Options) patience() time.Duration { return 5*time.Second + 2*o.Election }

// peers are the members of etcd as those of a log, and peer is one of them.
type (
	peers = quorum.Group[*Node, *entry]
	peer  = quorum.Member[*Node, *entry]
)

// Cluster is a control plane: API servers, each with a member of etcd. It is the authority over its leases,
// with a Name, its Nodes in the order of their names, their Addresses, and the Leader, which is the server
// whose member of etcd leads, or the last one. Healed reports whether there is a leader that
// all other servers follow, and no server hangs. Promote elects a member at once, if it can be elected.
// Only the conductor may use it.
type Cluster struct {
	*peers
	world   *sim.World
	options Options
}

// New adds a cluster to the world. Every observation of it goes to observe.
func New(w *sim.World, o Options, observe func(model.Observation)) *Cluster {
	o.complete()
	c := &Cluster{world: w, options: o}
	c.peers = quorum.NewGroup[*Node, *entry](w, quorum.Rules[*Node]{
		Name: clusterName, Patience: o.Election, Vote: o.Vote, Compare: compareLogs, Joins: c.joins,
	}, observe)
	for i := range o.Servers {
		newNode(c, i+1)
	}
	c.Begin(2) // the first is that of the first election
	return c
}

// compareLogs compares what two members have accepted: the log of the later term, or the longer of two of
// one term, has all that was committed.
func compareLogs(a, b *Node) int {
	return cmp.Or(cmp.Compare(a.accepted, b.accepted), cmp.Compare(len(a.Log), len(b.Log)))
}

// joins reports whether a member follows the leader as soon as it hears of it: if it looks for one, or has
// one of an earlier term.
func (c *Cluster) joins(n, leader *Node) bool {
	return leader.Term == c.Term() && (n.Leader() == nil || n.Term < leader.Term)
}

// nameOf returns the name of a server.
func nameOf(number int) string { return serverName + strconv.Itoa(number) }
