package simzk

import (
	"slices"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/quorum"
)

// Node is one ZooKeeper server: an actor, a clock, a log of transactions and the state that the
// committed ones of them make. It has an Address. It can Hang for some time, Crash and Restart, and
// is Down in between; Leads reports whether it takes itself for the leader of a majority. Only the
// conductor may use it.
type Node struct {
	*peer
	ensemble *Ensemble
	world    *sim.World
	number   int
	clock    *sim.Timepiece

	leads   *leadership
	state   *state
	owners  map[string]model.Origin // of the values of znodes in it
	watches *watches[*conn]
	conns   []*conn // of clients, in the order in which they came
	opened  int64   // sessions
	touched touched

	meter func(request string) time.Duration // nil: requests take no time
}

// entry is a transaction in the logs.
type entry struct {
	*txn
	from *pending // the request, at the server that received it; nil if there is none
	by   model.Origin
	// expires is set if it closes a session because nothing arrived from its client.
	expires bool
	// due is when that session should have ended, if it ends too early.
	due   time.Duration
	syncs []func() // requests to sync that wait for it
}

func newNode(e *Ensemble, number int) *Node {
	n := &Node{
		ensemble: e,
		world:    e.world,
		number:   number,
		state:    newState(),
		owners:   map[string]model.Origin{},
		watches:  newWatches[*conn](),
	}
	digits := strconv.Itoa(number)
	n.peer = e.Add(n, e.options.Name+digits, e.options.Subnet+"."+digits+":2181", n.accept, quorum.Hooks[*entry]{
		Accepts: func() { n.serve(forPeer, nil) },
		Looks:   n.looks, Leads: n.lead, Follows: func() {}, Advance: n.advance, Apply: n.apply, Resume: n.resume,
	})
	n.clock = e.world.NewTimepiece(0, 0)
	return n
}

// Lag returns how many committed transactions the server has not applied yet.
func (n *Node) Lag() int { return len(n.ensemble.Committed()) - n.Applied }

// serves reports whether the server accepts clients.
func (n *Node) serves() bool { return n.Leader() != nil && (n.leads == nil || n.Leads()) }

// now returns the server's own time.
func (n *Node) now() time.Time { return n.clock.At(n.world.Now()).Truncate(time.Millisecond) }

// Jump moves the server's clock. The leader's decides when sessions end.
func (n *Node) Jump(by time.Duration) {
	n.clock.Jump(by)
	n.world.Strike(n.Actor, sim.Fault{Kind: sim.FaultJump, By: by})
	if n.leads != nil {
		n.leads.watchSessions()
	}
}

// resume handles what has arrived while the server hung, unless the server has to give up its role first. A leader ends
// the sessions whose time is over before it reads that their clients are alive, as ZooKeeper does: its tracker wakes
// first.
func (n *Node) resume() {
	n.ensemble.Changed()
	life := n.Life
	if n.leads != nil {
		n.leads.expireSessions()
	}
	for _, f := range n.Held() {
		if n.Life != life {
			return
		}
		f()
	}
}

// looks is called when the server has no leader from now on. The server disconnects its
// clients and forgets what was under way.
func (n *Node) looks() {
	if l := n.leads; l != nil && l.expiry != nil {
		l.expiry()
		l.expiry = nil
	}
	n.leads = nil
	n.touched.cancel()
	for _, c := range slices.Clone(n.conns) {
		c.close()
	}
	n.Held()
}
