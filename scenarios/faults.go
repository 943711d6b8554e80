package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/simredis"
)

// Decisions of the fault injectors.
const (
	pauseFault    sim.Kind = "fault:pause"
	failoverFault sim.Kind = "fault:failover"
	resetFault    sim.Kind = "fault:reset"

	crashFault           sim.Kind = "fault:crash"
	skewFault            sim.Kind = "fault:skew"
	clockJumpFault       sim.Kind = "fault:clock-jump"
	serverClockJumpFault sim.Kind = "fault:server-clock-jump"
	lostReplyFault       sim.Kind = "fault:lost-reply"
	lateReplyFault       sim.Kind = "fault:late-reply"
	lateRequestFault     sim.Kind = "fault:late-request"
	hangFault            sim.Kind = "fault:hang"
)

// How rare faults are for a random tape, in questions a strike. A run of two
// clients asks a hundred or two, so that most runs have their fault somewhere
// in the middle.
const (
	pauseOdds    = 60
	failoverOdds = 80
	lateOdds     = 30
	oneWayOdds   = 20
	resetOdds    = 25
	crashOdds    = 60
	skewOdds     = 2 // it is asked once for each client
	jumpOdds     = 60
	hangOdds     = 30
	lostOdds     = 20
)

// processes are the client processes, by their actors. Injectors have it while
// it is still being filled.
type processes map[*sim.Actor]*sim.Process

// alive is the process that an event is about to happen to, if it is a client's
// and neither paused nor crashed; or nil.
func (m processes) alive(e sim.Upcoming) *sim.Process {
	if p := m[e.Actor]; p != nil && !p.Paused() && e.Kind != sim.EventFault {
		return p
	}
	return nil
}

// inject adds the injectors that the parameters have a budget for.
func inject(w *sim.World, c *simredis.Cluster, clients processes, ends *cancels, p Params) {
	if p.Cancels > 0 {
		w.Inject(ends)
	}
	if p.Pauses > 0 {
		w.Inject(newPauses(w, clients, p))
	}
	if p.Failovers > 0 {
		w.Inject(newFailovers(w, c, p))
	}
	if p.Resets > 0 {
		w.Inject(&resets{world: w, actor: w.NewActor("resets"), cluster: c, budget: p.Resets})
	}
	if p.Crashes > 0 {
		w.Inject(&crashes{world: w, clients: clients, budget: p.Crashes})
	}
	if p.ClockJumps > 0 {
		w.Inject(&clockJumps{world: w, clients: clients, budget: p.ClockJumps, by: jumpsBy(p)})
	}
	if p.ServerClockJumps > 0 {
		w.Inject(&serverClockJumps{world: w, nodes: nodesOf(c), budget: p.ServerClockJumps, by: jumpsBy(p)})
	}
	if p.LostReplies > 0 {
		w.Inject(&lostReplies{world: w, clients: clients, nodes: nodesOf(c), budget: p.LostReplies})
	}
	if p.Hangs > 0 {
		w.Inject(&hangs{world: w, nodes: nodesOf(c), budget: p.Hangs, length: hangLengths(p)})
	}
}

// nodes are Redis nodes, by their actors.
type nodes map[*sim.Actor]*simredis.Node

func nodesOf(c *simredis.Cluster) nodes {
	m := nodes{}
	for _, n := range c.Nodes() {
		m[n.Actor] = n
	}
	return m
}

// up is the node that an event is about to happen to, if it is one that is up;
// or nil.
func (m nodes) up(e sim.Upcoming) *simredis.Node {
	if n := m[e.Actor]; n != nil && !n.Down() && e.Kind != sim.EventFault {
		return n
	}
	return nil
}

// pauses lets client processes pause, before any event of theirs: shorter
// than a lease, just longer, and longer than a read timeout, too.
type pauses struct {
	world   *sim.World
	clients processes
	budget  int
	length  []time.Duration
}

func newPauses(w *sim.World, clients processes, p Params) *pauses {
	return &pauses{
		world:   w,
		clients: clients,
		budget:  p.Pauses,
		length:  []time.Duration{p.TTL * 5 / 4, p.TTL / 2, p.TTL + 5*time.Second},
	}
}

// Before is the injector's question.
func (f *pauses) Before(e sim.Upcoming) bool {
	p := f.clients.alive(e)
	if f.budget == 0 || p == nil {
		return false
	}
	option := f.world.Choose(sim.Decision{Kind: pauseFault, Actor: p.Name(), Options: 1 + len(f.length), Odds: pauseOdds})
	if option == 0 {
		return false
	}
	f.budget--
	return p.Pause(f.length[option-1])
}

// failovers lets the primary crash, before any event of anybody; a replica is
// promoted soon after, and the old primary comes back as a replica later.
type failovers struct {
	world   *sim.World
	actor   *sim.Actor
	cluster *simredis.Cluster
	budget  int
	outage  time.Duration // from the crash to the promotion
	back    time.Duration // from the crash to the old primary's return
	active  bool

	candidates []*simredis.Node // memory that is used again
}

func newFailovers(w *sim.World, c *simredis.Cluster, p Params) *failovers {
	return &failovers{
		world: w, actor: w.NewActor("failover"), cluster: c, budget: p.Failovers,
		outage: p.TTL / 40, back: p.TTL,
	}
}

// Before is the injector's question.
func (f *failovers) Before(sim.Upcoming) bool {
	if f.budget == 0 || f.active {
		return false
	}
	candidates := f.candidates[:0]
	for _, n := range f.cluster.Nodes() {
		if n != f.cluster.Primary() && !n.Down() {
			candidates = append(candidates, n)
		}
	}
	f.candidates = candidates
	option := f.world.Choose(sim.Decision{Kind: failoverFault, Actor: f.actor.Name(), Options: 1 + len(candidates), Odds: failoverOdds})
	if option == 0 {
		return false
	}
	f.budget--
	f.strike(candidates[option-1])
	return true
}

func (f *failovers) strike(successor *simredis.Node) {
	f.active = true
	old := f.cluster.Primary()
	old.Crash()
	now := f.world.Now()
	vital := sim.EventOptions{Vital: true}
	f.world.At(f.actor, now+f.outage, sim.EventFault, vital, func() {
		f.world.Fault(f.actor, "promote", 0)
		must(f.cluster.Promote(successor))
	})
	f.world.At(f.actor, now+f.back, sim.EventFault, vital, func() {
		f.world.Fault(f.actor, "rejoin", 0)
		must(f.cluster.Rejoin(old))
		f.active = false
	})
}

// resets breaks connections between clients and Redis, one at a time, before
// any event of anybody. What is in flight is lost, and both ends stay up.
type resets struct {
	world   *sim.World
	actor   *sim.Actor
	cluster *simredis.Cluster
	budget  int
}

// Before is the injector's question.
func (f *resets) Before(sim.Upcoming) bool {
	if f.budget == 0 {
		return false
	}
	var conns []*sim.Conn
	var ends []sim.Candidate
	for _, n := range f.cluster.Nodes() {
		for _, c := range f.world.Network().Conns(n.Actor) {
			conns, ends = append(conns, c), append(ends, c.Ends())
		}
	}
	option := f.world.Choose(sim.Decision{
		Kind: resetFault, Actor: f.actor.Name(), Options: 1 + len(conns), Odds: resetOdds, Candidates: ends,
	})
	if option == 0 {
		return false
	}
	f.budget--
	f.world.Fault(f.actor, "reset", 0)
	conns[option-1].Reset(nil)
	return true
}

// must is for errors that only a mistake of this package can cause.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
