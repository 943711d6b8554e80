package simzk

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// role is what a server is in its ensemble.
type role int

const (
	looking   role = iota // for a leader; it serves no client
	following             // a leader
	leading               // a majority, or about to
)

func (r role) String() string { return [...]string{"looking", "following", "leading"}[r] }

// Node is one ZooKeeper server: an actor, a clock, a log of transactions and the
// state that the committed ones of them make. Only the conductor uses it.
type Node struct {
	*sim.Actor
	ensemble *Ensemble
	world    *sim.World
	number   int
	address  string
	clock    *sim.Timepiece

	down   bool
	awake  func()   // cancels the end of a hang; nil if it does not hang
	held   []func() // what has come while it hangs
	role   role
	leader *Node // of a follower, and itself of a leader
	epoch  int64 // of the leader that it follows
	leads  *leadership
	alone  time.Duration // since when it does without its leader, or its majority; never if it does not
	life   int           // grows when its role or its process ends: what was under way to it is lost

	log     []*entry // all transactions that it has accepted
	applied int      // how many of them make up the state
	state   *state
	owners  map[string]model.Origin // of the values of znodes in it
	watches *watches[*conn]
	conns   []*conn // of clients, in the order in which they came
	opened  int64   // sessions
	touched touched
	lanes   map[*Node]*lane
}

// lane is the FIFO of messages to another server.
type lane struct {
	number int64
	last   time.Duration // when the last message arrives
}

// entry is a transaction in the logs.
type entry struct {
	*txn
	from *pending // the request, at the server that it came to; nil if there is none
	by   model.Origin
	// expires is set if it closes a session whose client was not heard of.
	expires bool
	syncs   []func() // requests to sync that wait for it
}

const never = time.Duration(-1)

func newNode(e *Ensemble, number int) *Node {
	n := &Node{
		Actor:    e.world.NewActor(e.options.Name + string(rune('0'+number))),
		ensemble: e,
		world:    e.world,
		number:   number,
		address:  e.address(number),
		clock:    e.world.NewTimepiece(0, 0),
		alone:    never,
		state:    newState(),
		owners:   map[string]model.Origin{},
		watches:  newWatches[*conn](),
		lanes:    map[*Node]*lane{},
	}
	n.listen()
	return n
}

func (n *Node) listen() {
	n.world.Network().Listen(n.address, n.Actor, n.accept)
}

// Address is the server's address.
func (n *Node) Address() string { return n.address }

// Down reports whether the server has crashed and not come back.
func (n *Node) Down() bool { return n.down }

// Leads reports whether the server takes itself for the leader of a majority.
func (n *Node) Leads() bool { return n.role == leading && n.serves() }

// Lag is how many committed transactions the server has not applied yet.
func (n *Node) Lag() int { return len(n.ensemble.committed) - n.applied }

// serves reports whether the server accepts clients.
func (n *Node) serves() bool {
	switch n.role {
	case following:
		return true
	case leading:
		return n.leads.established
	}
	return false
}

// now is the server's own time.
func (n *Node) now() time.Time { return n.clock.At(n.world.Now()).Truncate(time.Millisecond) }

// Jump moves the server's clock. The leader's decides when sessions end.
func (n *Node) Jump(by time.Duration) {
	n.clock.Jump(by)
	n.world.Strike(n.Actor, sim.Fault{Kind: sim.FaultJump, By: by})
	if n.role == leading {
		n.leads.watchSessions()
	}
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
	n.ensemble.changed()
}

// Restart brings a crashed server back with all that it had accepted.
func (n *Node) Restart() {
	if !n.down {
		return
	}
	n.down = false
	n.listen()
	o := model.Observation{Kind: model.Returned}
	if len(n.ensemble.nodes) == 1 {
		o.Authority = n.ensemble.Name()
	}
	n.observe(o)
	if o.Authority == "" {
		n.observe(model.Observation{Kind: model.Leaderless})
	}
	n.ensemble.changed()
}

// look makes the server look for a leader. It disconnects its clients and forgets
// what was under way.
func (n *Node) look() {
	n.life++
	n.role, n.leader, n.alone = looking, nil, never
	if !n.down {
		n.observe(model.Observation{Kind: model.Leaderless})
	}
	if n.leads != nil {
		n.leads.end()
		n.leads = nil
	}
	n.touched.cancel()
	for _, c := range slices.Clone(n.conns) {
		c.close()
	}
	n.held = nil
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
		to.do(receive)
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
