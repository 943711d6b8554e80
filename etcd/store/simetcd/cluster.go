package simetcd

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/quorum"
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
	// StaleKeepAlive makes servers behave as those before 3.4.31 and 3.5.13: a leader whose hang
	// is over renews leases before it hears that there is another leader. It also revokes the
	// leases that ended by its clock because it received no keep-alives while it hung. That
	// request goes to the new leader, where they may have been kept alive.
	StaleKeepAlive bool
}

const (
	// MostMembers is the largest cluster.
	MostMembers = 5
	// serverVersion is the version that the servers report.
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

// patience returns how long a server tries to execute a request.
func (o Options) patience() time.Duration { return 5*time.Second + 2*o.Election }

// group are the servers as those of a log, and peer is one of them.
type (
	group = quorum.Group[*Node, *entry]
	peer  = quorum.Member[*Node, *entry]
)

// Cluster is an etcd cluster: the authority over its records, with a Name, its Nodes in the order of
// their names, their Addresses, and the Leader, which is the server that leads or the last one that
// did. Healed reports whether there is a leader that all other servers follow, and no server hangs.
// Promote elects a server at once, without the time that an election takes, if a majority looks for
// a leader and would vote for it; otherwise it elects a server that has the votes, if there is one.
// Only the conductor may use it.
type Cluster struct {
	*group
	world   *sim.World
	options Options
	leases  *quorum.Sessions
}

// New adds a cluster to the world. Every observation of it goes to observe.
func New(w *sim.World, o Options, observe func(model.Observation)) *Cluster {
	o.complete()
	c := &Cluster{world: w, options: o}
	c.group = quorum.NewGroup[*Node, *entry](w, quorum.Rules[*Node]{
		Name: clusterName, Patience: o.Election, Vote: o.Vote, Compare: compareLogs, Joins: c.joins,
	}, observe)
	c.leases = quorum.NewSessions(clusterName, "lease", leaseName, c.leaseEnds)
	for i := range o.Members {
		newNode(c, i+1)
	}
	c.Begin(2) // the first is that of the first election
	return c
}

// compareLogs compares what two servers have accepted: the log of the later term, or the
// longer of two of one term, has all that was committed.
func compareLogs(a, b *Node) int {
	return cmp.Or(cmp.Compare(a.accepted, b.accepted), cmp.Compare(len(a.Log), len(b.Log)))
}

// joins reports whether a server follows the leader as soon as it hears of it: if it looks for one,
// or has one of an earlier term. Those that have voted in a later term do not follow one of an
// earlier term.
func (c *Cluster) joins(n, leader *Node) bool {
	return leader.Term == c.Term() && (n.Leader() == nil || n.Term < leader.Term)
}

// identity returns a number that looks like the hashes that etcd uses as identities.
func identity(of string) uint64 {
	var d sim.Digest
	d.String(of)
	return d.Sum()
}
