package simetcd

import (
	"slices"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Node is one etcd server: an actor, a clock, a log and the state that the committed
// entries of it make. Only the conductor uses it.
type Node struct {
	*sim.Actor
	cluster *Cluster
	world   *sim.World
	number  int
	address string
	id      uint64
	clock   *sim.Timepiece // the monotonic one

	down       bool
	awake      func()   // cancels the end of a hang; nil if it does not hang
	held       []func() // what has come while it hangs
	catchingUp bool     // it does now what has come while it hung

	leader   *Node // nil while it looks for one; itself if it leads
	term     int64 // of the leader that it follows
	leads    *leadership
	followed time.Duration // since when it has its leader
	alone    time.Duration // since when it does without its leader, or its majority; never if it does not
	life     int           // grows when its role or its process ends: what was under way to it is lost

	log      []*entry // all entries that it has accepted
	accepted int64    // the term of the leader from which it has accepted its log
	applied  int      // how many of them make up the state
	state    *state
	owners   map[string]model.Origin // of the values of keys in it

	calls    []*rpc // of clients, in the order in which they came
	parked   []func()
	reads    []*read
	forwards []*forward
	granted  int64  // leases that it has chosen the number of
	lonely   func() // cancels the end of streams that need a leader; nil if there is one
	syncing  func() // cancels the next round of watches; nil if there is none
	lanes    map[*Node]*lane
}

// lane is the FIFO of messages to another server.
type lane struct {
	number int64
	last   time.Duration // when the last message arrives
}

// entry is an operation in the logs.
type entry struct {
	operation
	from *call // the request, at the server that it came to; nil if there is none
	by   model.Origin
	// expires is set if it revokes a lease that was not kept alive.
	expires bool
}

const never = time.Duration(-1)

func newNode(c *Cluster, number int) *Node {
	n := &Node{
		Actor:   c.world.NewActor(clusterName + strconv.Itoa(number)),
		cluster: c,
		world:   c.world,
		number:  number,
		address: c.address(number),
		id:      identity(c.address(number)),
		clock:   c.world.NewTimepiece(0, 0),
		alone:   never,
		state:   newState(int64(c.options.shortestLease() / time.Second)),
		owners:  map[string]model.Origin{},
		lanes:   map[*Node]*lane{},
	}
	n.listen()
	return n
}

func (n *Node) listen() {
	n.world.Network().Listen(n.address, n.Actor, n.accept)
}

// Down reports whether the server has crashed and not come back.
func (n *Node) Down() bool { return n.down }

// Leads reports whether the server takes itself for the leader of a majority.
func (n *Node) Leads() bool { return n.leads != nil && n.leads.established }

// Jump moves the server's clock. Nothing depends on it: leases are measured with the monotonic
// clock, which does not jump.
func (n *Node) Jump(by time.Duration) {
	n.world.Strike(n.Actor, sim.Fault{Kind: sim.FaultJump, By: by})
}

// Crash ends the server's process: its connections are reset and dials are refused.
// What it has accepted is on its disk.
func (n *Node) Crash() {
	if n.down {
		return
	}
	n.world.Fault(n.Actor, sim.FaultCrash, 0)
	n.observe(model.Observation{Kind: model.Crashed})
	n.endHang()
	n.down = true
	n.world.Network().Crash(n.Actor)
	n.look()
	n.drop()
	n.cluster.changed()
}

// Restart brings a crashed server back with all that it had accepted.
func (n *Node) Restart() {
	if !n.down {
		return
	}
	n.down = false
	n.listen()
	o := model.Observation{Kind: model.Returned}
	if len(n.cluster.nodes) == 1 {
		o.Authority = n.cluster.Name()
	}
	n.observe(o)
	if o.Authority == "" {
		n.observe(model.Observation{Kind: model.Leaderless})
	}
	n.cluster.changed()
}

// drop forgets what clients have asked for.
func (n *Node) drop() {
	for _, r := range slices.Clone(n.calls) {
		r.end()
	}
	n.parked, n.reads, n.forwards, n.held = nil, nil, nil, nil
	for _, timer := range []*func(){&n.lonely, &n.syncing} {
		if *timer != nil {
			(*timer)()
			*timer = nil
		}
	}
}

// look makes the server look for a leader. It forgets what was under way between servers.
func (n *Node) look() {
	n.life++
	n.leader, n.alone = nil, never
	if !n.down {
		n.observe(model.Observation{Kind: model.Leaderless})
	}
	n.leads.end()
	n.leads = nil
	n.loneliness()
}

// follows is the moment from which on the server has a leader, or leads itself.
func (n *Node) follows(leader *Node, term int64) {
	n.leader, n.term, n.alone, n.followed = leader, term, never, n.world.Now()
	if n.lonely != nil {
		n.lonely()
		n.lonely = nil
	}
	parked := n.parked
	n.parked = nil
	for _, f := range parked {
		f()
	}
	n.leaderChanged()
}

// send sends a message to another server. It is lost if one of the two has given up
// its role, or ended, when it arrives. One that hangs receives it later.
func (n *Node) send(to *Node, what string, receive func()) {
	l := n.lanes[to]
	if l == nil {
		l = &lane{number: n.world.Network().NewLane()}
		n.lanes[to] = l
	}
	mine, its := n.life, to.life
	l.last = n.world.Network().Propagate(n.Actor, to.Actor, l.number, l.last, func(sent time.Duration, late bool) {
		e := sim.Event{Kind: sim.EventDeliver, Actor: to.Name(), Peer: n.Name(), Sent: sent, Late: late, Detail: what}
		if n.life != mine || to.life != its || to.down {
			e.Kind = sim.EventDrop
			n.world.Log(e)
			return
		}
		n.world.Log(e)
		to.do(func() {
			if to.life == its {
				receive()
			}
		})
	})
}

// tell sends a message to the leader. It is lost if that does not lead any more.
func (n *Node) tell(what string, receive func(*leadership)) {
	leader, term := n.leader, n.term
	n.send(leader, what, func() {
		if leader.leads != nil && leader.term == term {
			receive(leader.leads)
		}
	})
}

// do does something now, or when the server has come to from a hang.
func (n *Node) do(f func()) {
	if n.Hangs() {
		n.held = append(n.held, f)
		return
	}
	f()
}

// apply applies the next entry: watchers are told, then the request is answered.
func (n *Node) apply() {
	x := n.log[n.applied]
	first := n.cluster.commit(n, x)
	n.applied++
	from := len(n.state.changes)
	answer, err := x.apply(n.state)
	made := n.state.changes[from:]
	if n.leads != nil && err == (status{}) {
		n.leads.leaseChanged(x.operation)
	}
	if first && err == (status{}) {
		n.observeLease(x)
	}
	n.observeChanges(x, made, first)
	n.notify(made)
	if x.from != nil && x.from.node == n {
		x.from.finish(answer, err)
	}
	n.advanceReads()
}

// applyTo applies so many entries of the log.
func (n *Node) applyTo(committed int) {
	for n.applied < min(committed, len(n.log)) {
		n.apply()
	}
}
