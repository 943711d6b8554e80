package scenarios

import (
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

// pauses lets client processes pause, before any event of theirs.
type pauses struct {
	*stage
	budget int
	lengths
}

// Before is the injector's question.
func (f *pauses) Before(e sim.Upcoming) bool {
	p := f.alive(e)
	if f.budget == 0 || p == nil {
		return false
	}
	option := f.world.Choose(sim.Decision{Kind: pauseFault, Actor: p.Name(), Options: 1 + f.classes(), Odds: pauseOdds})
	if option == 0 {
		return false
	}
	f.budget--
	return p.Pause(f.length(option-1, f.world, p.Actor, e.Conn))
}

// failovers lets a primary crash, before any event of anybody; a replica is
// promoted soon after, and the old primary comes back as a replica later.
type failovers struct {
	*stage
	actor  *sim.Actor
	budget int

	candidates []successor // memory that is used again
}

// successor is a replica that may be promoted.
type successor struct {
	*simredis.Node
	server *server
}

// Before is the injector's question.
func (f *failovers) Before(sim.Upcoming) bool {
	if f.budget == 0 {
		return false
	}
	candidates := f.candidates[:0]
	for _, s := range f.servers {
		if s.busy {
			continue
		}
		for _, n := range s.successors() {
			candidates = append(candidates, successor{n, s})
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

func (f *failovers) strike(next successor) {
	s := next.server
	s.busy = true
	old := s.Primary()
	old.Crash()
	f.later(f.actor, outage(f.params), "promote", func() { must(s.Promote(next.Node)) })
	f.later(f.actor, f.params.TTL, "rejoin", func() {
		must(s.Rejoin(old))
		s.busy = false
	})
}

// resets breaks connections between clients and Redis, one at a time, before
// any event of anybody. What is in flight is lost, and both ends stay up.
type resets struct {
	*stage
	actor  *sim.Actor
	budget int
}

// Before is the injector's question.
func (f *resets) Before(sim.Upcoming) bool {
	if f.budget == 0 {
		return false
	}
	var conns []*sim.Conn
	var ends []sim.Candidate
	for _, s := range f.servers {
		for _, n := range s.Nodes() {
			for _, c := range f.world.Network().Conns(n.Actor) {
				conns, ends = append(conns, c), append(ends, c.Ends())
			}
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
