package simetcd

import (
	"slices"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/quorum"
)

// Node is one etcd server: an actor, a clock, a log and the state that the committed entries of it
// make. It can Hang for some time, Crash and Restart, and is Down in between; Leads reports whether
// it takes itself for the leader of a majority. Only the conductor may use it.
type Node struct {
	*peer
	cluster *Cluster
	world   *sim.World
	id      uint64
	clock   *sim.Timepiece // the monotonic one

	catchingUp bool // it does now what has come while it hung
	leads      *leadership
	followed   time.Duration // since when it has its leader
	accepted   int64         // the term of the leader from which it has accepted its log

	state  *state
	owners map[string]model.Origin // of the values of keys in it

	calls    []*rpc // of clients, in the order in which they came
	parked   []func()
	reads    *quorum.Reads[*Node, *entry]
	forwards []*forward
	granted  int64  // leases that it has chosen the number of
	lonely   func() // cancels the end of streams that need a leader; nil if there is one
	syncing  func() // cancels the next round of watches; nil if there is none

	meter func(request string) time.Duration // nil: requests take no time
}

// entry is an operation in the logs.
type entry struct {
	operation
	from *call // the request, at the server that received it; nil if there is none
	by   model.Origin
	// expires is set if it revokes a lease that was not kept alive.
	expires bool
}

func newNode(c *Cluster, number int) *Node {
	address := subnet + "." + strconv.Itoa(number) + ":2379"
	n := &Node{
		cluster: c,
		world:   c.world,
		id:      identity(address),
		state:   newState(int64(c.options.shortestLease() / time.Second)),
		owners:  map[string]model.Origin{},
	}
	n.peer = c.Add(n, clusterName+strconv.Itoa(number), address, n.accept, quorum.Hooks[*entry]{
		Accepts: func() { n.serve(forPeer, nil) },
		Looks:   n.looks, Leads: n.lead, Follows: n.follow, Advance: n.advance, Apply: n.apply, Resume: n.resume,
	})
	n.clock = c.world.NewTimepiece(0, 0)
	n.reads = &quorum.Reads[*Node, *entry]{Member: n.peer, Retry: readRetry, Index: func(leader *Node, answer func(int)) { leader.leads.readIndex(answer) }}
	return n
}

// Jump moves the server's clock. Nothing depends on it: leases are measured with the monotonic
// clock, which does not jump.
func (n *Node) Jump(by time.Duration) {
	n.world.Strike(n.Actor, sim.Fault{Kind: sim.FaultJump, By: by})
}

// resume handles what has arrived while the server hung; only then does the server learn what the
// others did in the meantime.
func (n *Node) resume() {
	n.catchingUp = true
	for _, f := range n.Held() {
		f()
	}
	n.catchingUp = false
	n.cluster.Changed()
}

// looks is called when the server has no leader from now on.
func (n *Node) looks() {
	n.endLead()
	if !n.Down() {
		n.loneliness()
		return
	}
	for _, r := range slices.Clone(n.calls) {
		r.end()
	}
	n.parked, n.forwards = nil, nil
	n.reads.Clear()
	n.Held()
	for _, timer := range []*func(){&n.lonely, &n.syncing} {
		if *timer != nil {
			(*timer)()
			*timer = nil
		}
	}
}

// follow is called when the server begins to follow a leader.
func (n *Node) follow() {
	n.endLead()
	n.follows()
}

// follows is called when the server has a leader, or leads itself, from now on.
func (n *Node) follows() {
	n.accepted, n.followed = n.Term, n.world.Now()
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

// lonelyElections is the number of election time-outs without a leader after which the
// streams that need one end.
const lonelyElections = 3

// loneliness ends the streams that need a leader if there is none for long. For a unary call
// this is checked when it begins, and not again.
func (n *Node) loneliness() {
	if n.lonely != nil {
		return
	}
	at := n.world.Now() + lonelyElections*n.cluster.options.Election
	n.lonely = n.world.At(n.Actor, at, sim.EventWork, sim.EventOptions{}, func() {
		n.lonely = nil
		n.Do(func() {
			for _, r := range slices.Clone(n.calls) {
				if r.needsLeader && r.method.kind != unary && n.Leader() == nil {
					r.close(errNoLeader, nil)
				}
			}
		})
	})
}

// sendToLeader sends a message to the leader. It is lost if that server no longer leads.
func (n *Node) sendToLeader(what string, receive func(*leadership)) {
	n.SendToLeader(what, func(leader *Node) { receive(leader.leads) })
}

// apply applies an entry: it notifies watchers, then answers the request.
func (n *Node) apply(x *entry, first bool) {
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
	n.reads.Advance()
}
