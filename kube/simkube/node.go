package simkube

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/quorum"
	"github.com/lockpick-dev/lockpick/sim/simhttp"
)

// Node is one API server with the member of etcd beside it, on one machine: an actor, a clock, a log and
// the state that the committed entries of it make. It can Hang for some time, Crash and Restart, and is
// Down in between; Leads reports whether its member of etcd takes itself for the leader of a majority.
// Only the conductor may use it.
type Node struct {
	*peer
	cluster *Cluster
	world   *sim.World
	clock   *sim.Timepiece // the wall clock

	accepted int64             // the term of the leader from which it has accepted its log
	start    int               // how long the log was when its member was elected
	waiting  []func(index int) // for the read index, until it has applied that

	state  *state
	cache  cache
	owners map[string]model.Origin // of the content of leases in the state
	made   int                     // number of leases made so far, for their uids

	calls   []*call // that are not answered
	parked  []func()
	reads   *quorum.Reads[*Node, *entry]
	watches []*watch
	waits   []*freshness
	lonely  func()       // cancels the end of the cache; nil if there is a leader
	rejects int          // number of the next requests to reject
	failing map[int]bool // what becomes of the next request that writes, by its connection: it is carried out or not

	meter func(request string) time.Duration // nil: requests take no time
}

// entry is an operation in the logs.
type entry struct {
	operation
	from *call // the request, at the server that got it
	by   model.Origin
}

// readRetry is how long a server waits for a read index until it asks once more.
const readRetry = 500 * time.Millisecond

func newNode(c *Cluster, number int) *Node {
	n := &Node{cluster: c, world: c.world, state: newState(), owners: map[string]model.Origin{}, failing: map[int]bool{}}
	n.cache.begin(n.state)
	n.peer = c.Add(n, nameOf(number), subnet+"."+strconv.Itoa(number)+":6443", n.accept, quorum.Hooks[*entry]{
		Accepts: func() { n.serve(forPeer, nil) },
		Looks:   n.looks, Leads: n.lead, Follows: n.follows, Advance: n.advance, Apply: n.apply, Resume: n.resume,
	})
	n.clock = c.world.NewTimepiece(0, 0)
	n.reads = &quorum.Reads[*Node, *entry]{Member: n.peer, Retry: readRetry, Index: (*Node).readIndex}
	return n
}

// accept handles a new connection.
func (n *Node) accept(s *sim.ServerConn) sim.Handler { return simhttp.Serve(s, n.Do, n.handle) }

// Jump moves the server's wall clock. Only creationTimestamp depends on it.
func (n *Node) Jump(by time.Duration) {
	n.clock.Jump(by)
	n.world.Strike(n.Actor, sim.Fault{Kind: sim.FaultJump, By: by})
}

// resume handles what has arrived while the server hung; only then does it learn what the others did in the
// meantime.
func (n *Node) resume() {
	for _, f := range n.Held() {
		f()
	}
	n.cluster.Changed()
}

// looks is called when the server's member of etcd has no leader from now on, or the server has crashed.
func (n *Node) looks() {
	if !n.Down() {
		n.loneliness()
		return
	}
	for _, c := range slices.Clone(n.calls) {
		c.forget()
	}
	n.parked, n.waiting, n.waits = nil, nil, nil
	n.reads.Clear()
	n.Held()
	n.uncache()
}

// lonelyElections is the number of election time-outs without a leader after which etcd ends the watch that a
// server's cache has.
const lonelyElections = 3

// loneliness empties the cache if the server's member of etcd has no leader for long.
func (n *Node) loneliness() {
	if n.lonely != nil {
		return
	}
	at := n.world.Now() + lonelyElections*n.cluster.options.Election
	n.lonely = n.world.At(n.Actor, at, sim.EventWork, sim.EventOptions{}, func() {
		n.lonely = nil
		n.Do(func() {
			if n.Leader() == nil {
				n.uncache()
			}
		})
	})
}

// uncache empties the cache. Watches end.
func (n *Node) uncache() {
	n.cache.ready = false
	if n.lonely != nil {
		n.lonely()
		n.lonely = nil
	}
	for _, w := range slices.Clone(n.watches) {
		w.stop()
	}
}

// lead is called when the server's member of etcd has been elected.
func (n *Node) lead() {
	n.start = len(n.Log)
	n.follows()
}

// follows is called when the server's member of etcd has a leader, or leads itself, from now on.
func (n *Node) follows() {
	n.accepted, n.waiting = n.Term, nil
	if n.lonely != nil {
		n.lonely()
		n.lonely = nil
	}
	parked := n.parked
	n.parked = nil
	for _, f := range parked {
		f()
	}
	n.reads.LeaderChanged()
	if !n.cache.ready {
		n.fill()
	}
}

// advance commits what a majority has accepted. The log of earlier terms is committed when a majority has
// accepted it from this leader, which counts as an entry of its term: etcd appends an empty one.
func (n *Node) advance() {
	l := n.Leadership()
	sure := l.Accepted()
	if sure < n.start {
		return
	}
	if !n.Leads() {
		l.Establish()
		n.cluster.Join()
	}
	for n.Leadership() == l && n.Applied < sure {
		l.Commit()
	}
	if n.Leadership() == l && n.Applied >= n.start {
		waiting := n.waiting
		n.waiting = nil
		for _, answer := range waiting {
			l.ReadIndex(answer)
		}
	}
}

// readIndex reports how much is committed, once a majority has confirmed that the server's member of etcd
// leads, and it has applied all of earlier terms.
func (n *Node) readIndex(answer func(index int)) {
	if l := n.Leadership(); n.Leads() && n.Applied >= n.start {
		l.ReadIndex(answer)
		return
	}
	n.waiting = append(n.waiting, answer)
}

// propose appends an operation to the log of the leader, and sends it to the followers.
func (n *Node) propose(x *entry) {
	n.Leadership().Append(x, "append "+x.String())
	n.advance()
}

// withLeader calls f as soon as the server's member of etcd has a leader.
func (n *Node) withLeader(f func()) {
	if n.Leader() == nil {
		n.parked = append(n.parked, f)
		return
	}
	f()
}

// apply applies an entry, and answers the request.
func (n *Node) apply(x *entry, first bool) {
	a, made := n.state.apply(x.operation)
	if made != nil {
		n.observe(made, x.by, first)
		n.show(made)
	}
	if x.from != nil && x.from.node == n {
		x.from.finish(a)
	}
	n.reads.Advance()
}

// fill fills the cache after a restart, by a linearizable read.
func (n *Node) fill() {
	n.reads.Add(&quorum.Read{
		Over: func() bool { return n.cache.ready || n.Down() },
		Late: func() bool { return false },
		Run: func() {
			n.cache.begin(n.state)
			n.fresh()
		},
	})
}

// show passes a change to the cache, and from there to the watches.
func (n *Node) show(made *change) {
	pass := func() {
		if n.cache.ready && made.revision > n.cache.seen.revision {
			n.cache.add(made)
			n.fresh()
			n.notify(made)
		}
	}
	lag := n.cluster.options.CacheLag
	if lag == 0 {
		pass()
		return
	}
	n.world.At(n.Actor, n.world.Now()+lag, sim.EventWork, sim.EventOptions{}, func() { n.Do(pass) })
}

// Reject makes the server reject the next request as one too many, as its priority and fairness does.
func (n *Node) Reject() { n.rejects++ }

// Writes reports whether a request that writes is about to arrive, and the server does not hang.
func (n *Node) Writes(e sim.Upcoming) bool {
	return n.Requests(e) && simhttp.Arriving(e.Data()).Method != http.MethodGet
}

// Requests reports whether a request is about to arrive, and the server does not hang.
func (n *Node) Requests(e sim.Upcoming) bool {
	return e.Conn() != nil && !n.Hangs() && simhttp.Arriving(e.Data()) != nil
}

// Fail makes the server answer the next request of a connection, which writes, with 500: its connection to etcd breaks
// before the answer. Etcd carries the request out if done is set.
func (n *Node) Fail(c *sim.Conn, done bool) { n.failing[c.ID()] = done }

// uid returns the uid of a lease that is about to be created.
func (n *Node) uid() string {
	n.made++
	var d sim.Digest
	d.String(n.Name())
	d.Uint(uint64(n.made))
	a := d.Sum()
	d.Uint(a)
	b := d.Sum()
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", uint32(a), uint16(a>>32), uint16(a>>48)&0xfff, uint16(b)&0xfff, b>>16)
}

// forPeer is the name of the work that a server does for another one.
const forPeer = "peer"

// Meter sets the function that returns how long each request takes the server, given its verb: "get", "list",
// "watch", "create", "update", "patch", "delete". Servers call it with the name "peer", too: a follower for each
// entry of the log that it accepts, and the leader for each request that a follower passes on. Acknowledgements,
// commits and heartbeats, with which reads are confirmed, take none, and neither do the events of watches.
//
// A server serves one request at a time, in the order of their arrival. Without a meter requests take no time.
func (n *Node) Meter(time func(request string) time.Duration) { n.meter = time }

// serve makes the server spend the time of a request on it. The task is the client's; it is nil if the request
// is nobody's.
func (n *Node) serve(request string, t *sim.Task) {
	n.world.Served(t, request)
	if n.meter != nil {
		n.Serve(n.meter(request))
	}
}
