package simzk

import (
	"fmt"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
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

// MostMembers is the largest ensemble.
const MostMembers = 7

// syncTicks is syncLimit: for how many ticks a leader and a follower do without each
// other before the follower looks for another leader, and the leader, if too few
// followers are left, steps down.
const syncTicks = 5

// Ensemble is a ZooKeeper ensemble. Only the conductor uses it.
type Ensemble struct {
	world   *sim.World
	options Options
	nodes   []*Node
	observe func(model.Observation)

	leader     *Node // the last that a majority has followed
	epoch      int64
	committed  []*entry               // by all leaders, in order: the truth
	ephemerals []ephemeral            // committed znodes of sessions, in the order of their last changes
	clients    map[int64]model.Origin // of the sessions that are open
	parted     []*sim.Partition
	election   func() // cancels the next election; nil if there is none
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
	e := &Ensemble{world: w, options: o, observe: observe, epoch: 1, clients: map[int64]model.Origin{}}
	for i := range o.Members {
		e.nodes = append(e.nodes, newNode(e, i+1))
	}
	e.nodes[0].lead(e.epoch, e.nodes[1:]...)
	w.OnFault(e.fault)
	return e
}

// Name is the name of the ensemble as the authority over its records.
func (*Ensemble) Name() string { return "ZooKeeper" }

// Nodes are all servers, in the order of their names.
func (e *Ensemble) Nodes() []*Node { return e.nodes }

// Leader is the server that leads, or the last one that did.
func (e *Ensemble) Leader() *Node { return e.leader }

// Addresses are the servers' addresses.
func (e *Ensemble) Addresses() []string {
	list := make([]string, len(e.nodes))
	for i, n := range e.nodes {
		list[i] = n.address
	}
	return list
}

// Healed reports whether there is a leader that all other servers follow, and no
// server hangs.
func (e *Ensemble) Healed() bool {
	for _, n := range e.nodes {
		if n.down || n.Hangs() || !n.serves() || n.leader != e.leader || n.epoch != e.epoch {
			return false
		}
	}
	return true
}

func (e *Ensemble) quorum() int { return len(e.nodes)/2 + 1 }

// address is that of a server, by its number from 1.
func (e *Ensemble) address(number int) string {
	return e.options.Subnet + "." + strconv.Itoa(number) + ":2181"
}

// fault notes partitions between servers.
func (e *Ensemble) fault(f sim.Fault) {
	switch f.Kind {
	case sim.FaultPartition:
		e.parted = append(e.parted, f.Sides)
	case sim.FaultUnited:
		e.unite(f.Sides)
	default:
		return
	}
	e.changed()
}

func (e *Ensemble) unite(p *sim.Partition) {
	for i, q := range e.parted {
		if q.String() == p.String() {
			e.parted = append(e.parted[:i:i], e.parted[i+1:]...)
			return
		}
	}
}

// connected reports whether two servers reach each other. A connection whose one
// direction is cut is of no use to them.
func (e *Ensemble) connected(a, b *Node) bool {
	within := func(side []*sim.Actor, n *Node) bool {
		for _, x := range side {
			if x == n.Actor {
				return true
			}
		}
		return false
	}
	for _, p := range e.parted {
		if within(p.A, a) && within(p.B, b) || within(p.A, b) && within(p.B, a) {
			return false
		}
	}
	return true
}

// commit is the moment at which a transaction is committed: the first leader that can
// says so.
func (e *Ensemble) commit(n *Node, x *entry) (first bool) {
	if n.applied < len(e.committed) {
		if e.committed[n.applied] != x {
			panic(fmt.Sprintf("simzk: %s commits another transaction than %x, which was committed", n.Name(), e.committed[n.applied].zxid))
		}
		return false
	}
	e.committed = append(e.committed, x)
	return true
}
