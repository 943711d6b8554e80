package faults

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

const failover sim.Kind = "fault:failover"

// Failovers crash a serving node before any event. A follower is promoted soon after, and
// the old node returns as a follower later. If the store's servers choose the serving node
// themselves, it only crashes and returns.
var Failovers = &stage.Fault{
	Name: "failovers", Most: 16,
	About: "how often the {serving} may crash and a {follower} be promoted",
	One:   "a crash of the {serving} with the promotion of a {follower}",
	Many:  "crashes of the {serving} with the promotion of a {follower}",
	Needs: func(p stage.Params) string {
		if p.Followers > 0 {
			return ""
		}
		return "needs a {follower} to promote: set {follower}s"
	},
	Lacks: func(c stage.Cluster) string {
		if unlessServer[stage.Elected]("no")(c) == "" {
			return ""
		}
		return unlessServer[stage.Replicated]("there is nothing to promote in {store}")(c)
	},
	Resets: true,
	Inject: func(s *stage.Stage, budget int) {
		s.Add(&failovers{Stage: s, actor: s.World.NewActor("failover"), budget: budget})
	},
	Kinds:    []sim.Kind{failover},
	Describe: describeFailover,
}

const failoverOdds = 80

type failovers struct {
	*stage.Stage
	actor  *sim.Actor
	budget int

	// Reused between decisions.
	nodes      []stage.Node
	candidates []successor
}

// successor is a node that may be promoted, nil if the store's servers choose it.
type successor struct {
	stage.Node
	server *stage.Server
}

// Before asks the tape whether a node crashes.
func (f *failovers) Before(sim.Upcoming) bool {
	if f.budget == 0 {
		return false
	}
	candidates := f.candidates[:0]
	for _, s := range f.Cluster {
		if s.Busy {
			continue
		}
		f.nodes = s.Successors(f.nodes[:0])
		for _, n := range f.nodes {
			candidates = append(candidates, successor{n, s})
		}
		if s.Electors() != nil && s.Serving().Up() {
			candidates = append(candidates, successor{nil, s})
		}
	}
	f.candidates = candidates
	option := f.World.Choose(sim.Decision{Kind: failover, Actor: f.actor.Name(), Options: 1 + len(candidates), Odds: failoverOdds})
	if option == 0 {
		return false
	}
	f.budget--
	f.strike(candidates[option-1])
	return true
}

func (f *failovers) strike(next successor) {
	s := next.server
	s.Busy = true
	old := s.Serving()
	old.Crash()
	if s.Electors() != nil {
		f.Later(f.actor, f.Params.TTL, "restart", func() {
			s.Authority.(stage.Restarting).Restart(old, 0)
			s.Busy = false
		})
		return
	}
	r := s.Authority.(stage.Replicated)
	f.Later(f.actor, f.Params.Outage(), "promote", func() { r.Promote(next.Node) })
	f.Later(f.actor, f.Params.TTL, "rejoin", func() {
		r.Rejoin(old)
		s.Busy = false
	})
}

// describeFailover describes a crash, and which followers never receive the last writes.
func describeFailover(t *stage.Choice) string {
	if !t.Struck(sim.FaultCrash) {
		return ""
	}
	e := t.Event
	text := fmt.Sprintf("%s crashes at %s", e.Actor, traces.Moment(e.At))
	var lost []string
	for i := range t.Events {
		d := &t.Events[i]
		ours := d.Seq > e.Seq && d.Sent <= e.At && d.Kind == sim.EventDrop && d.Peer == e.Actor
		if ours && strings.HasPrefix(d.Detail, "replicate ") && !slices.Contains(lost, d.Actor) {
			lost = append(lost, d.Actor)
		}
	}
	if len(lost) > 0 {
		text += ", before its last write has reached " + strings.Join(lost, " and ")
	}
	return text
}
