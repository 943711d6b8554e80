package simzk

import (
	"cmp"
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/quorum"
)

// Options describe an ensemble.
type Options struct {
	// Members is the number of servers, 1 to 7 (default 3).
	Members int
	// Tick is ZooKeeper's tickTime (default 2 s). Sessions last from 2 to 20 ticks.
	Tick time.Duration
	// Election is how long it takes to elect a leader once a majority looks for one
	// (default a tick).
	Election time.Duration
	// Name is the prefix of the servers' names (default "zk"); they are numbered from
	// 1, and 1 leads at the beginning.
	Name string
	// Subnet is the prefix of the servers' addresses, an IPv4 literal without the
	// last number (default "10.0.1").
	Subnet string
}

// Authority is what observations call an ensemble.
const Authority = "ZooKeeper"

// MostMembers is the largest ensemble.
const MostMembers = 7

// syncTicks is syncLimit: for how many ticks a leader and a follower do without each
// other before the follower looks for another leader, and the leader, if too few
// followers are left, steps down.
const syncTicks = 5

// group are the servers as those of a log, and peer is one of them.
type (
	group = quorum.Group[*Node, *entry]
	peer  = quorum.Member[*Node, *entry]
)

// Ensemble is a ZooKeeper ensemble: the authority over its records, with a Name, its Nodes in the
// order of their names, their Addresses, and the Leader, which is the server that leads or the last
// one that did. Healed reports whether there is a leader that all other servers follow, and no
// server hangs. Promote elects a server at once, without the time that an election takes, if a
// majority looks for a leader and would vote for it; otherwise it elects a server that has the
// votes, if there is one. Only the conductor may use it.
type Ensemble struct {
	*group
	world    *sim.World
	options  Options
	sessions *quorum.Sessions
}

// New adds an ensemble to the world. Every observation of it goes to observe.
func New(w *sim.World, o Options, observe func(model.Observation)) *Ensemble {
	if o.Members == 0 {
		o.Members = 3
	}
	if o.Members < 1 || o.Members > MostMembers {
		panic(fmt.Sprintf("simzk: %d members: want 1 to %d", o.Members, MostMembers))
	}
	if o.Tick == 0 {
		o.Tick = 2 * time.Second
	}
	if o.Election == 0 {
		o.Election = o.Tick
	}
	if o.Name == "" {
		o.Name = "zk"
	}
	if o.Subnet == "" {
		o.Subnet = "10.0.1"
	}
	e := &Ensemble{world: w, options: o}
	e.group = quorum.NewGroup[*Node, *entry](w, quorum.Rules[*Node]{
		Name: Authority, Patience: syncTicks * o.Tick, Vote: o.Election, AtOnce: true, HangCounts: true,
		Compare: compareLogs, Joins: joins,
	}, observe)
	e.sessions = quorum.NewSessions(e.Name(), "session", SessionName, e.sessionEnds)
	for i := range o.Members {
		newNode(e, i+1)
	}
	e.Begin(1)
	return e
}

// compareLogs compares the epochs whose leaders two servers have followed last and then, as ZooKeeper's
// FastLeaderElection does, the last transactions that they have accepted. The number of a transaction
// begins with an epoch as well, but that is not enough: a server that has followed a leader of a later
// epoch may have accepted none of its transactions, and still knows that the transactions of an earlier
// epoch that others have, and it has not, were never committed.
func compareLogs(a, b *Node) int {
	return cmp.Or(cmp.Compare(a.Term, b.Term), cmp.Compare(a.lastAccepted(), b.lastAccepted()))
}

func (n *Node) lastAccepted() int64 {
	if len(n.Log) == 0 {
		return 0
	}
	return n.Log[len(n.Log)-1].zxid
}

// joins reports whether a server follows the leader as soon as it hears of it: if it looks for one,
// and no other is about to admit it.
func joins(n, _ *Node) bool { return n.Leader() == nil && !n.Admitted() }
