package faults

import (
	"slices"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

const (
	absentElector sim.Kind = "fault:absent-elector"
	lostElector   sim.Kind = "fault:lost-elector"
)

// AbsentElectors remove an elector for good as the clients start: its machine is absent, so that
// nobody hears of it, and attempts to connect to it hang. A majority is always present. Tolerating
// this is the purpose of several electors: clients must get the lock as if none were missing.
var AbsentElectors = &stage.Fault{
	Name: "absent-electors", Most: 4,
	About: "how many of those that choose the {serving} may be missing from the beginning, if a majority is there",
	One:   "one of those that choose the {serving} that is missing",
	Many:  "some of those that choose the {serving} that are missing",
	Lacks: electorsLack,
	Inject: func(s *stage.Stage, budget int) {
		s.Add(&lostElectors{Stage: s, actor: s.World.NewActor("absent-electors"), budget: budget, absent: true})
	},
	Kinds: []sim.Kind{absentElector},
	Describe: func(t *stage.Choice) string {
		if !t.Struck(sim.FaultCrash) {
			return ""
		}
		return t.Event.Actor + " is missing from the beginning"
	},
}

// LostElectors remove an elector for good before any event: at once, so that its connections hang, or
// after the end of its process, which ends them.
var LostElectors = &stage.Fault{
	Name: "lost-electors", Most: 4,
	About:   "how many of those that choose the {serving} may be gone for good, if a majority stays",
	One:     "one of those that choose the {serving} that is gone for good",
	Many:    "some of those that choose the {serving} that are gone for good",
	Classes: func(stage.Params, stage.Terms) []string { return []string{"at once", "after its process has ended"} },
	Lacks:   electorsLack,
	Inject: func(s *stage.Stage, budget int) {
		s.Add(&lostElectors{Stage: s, actor: s.World.NewActor("lost-electors"), budget: budget})
	},
	Kinds: []sim.Kind{lostElector},
	Describe: func(t *stage.Choice) string {
		switch {
		case !t.Struck(sim.FaultCrash):
			return ""
		case t.Option%2 == 0:
			return t.Event.Actor + " ends, and is gone for good soon after, at " + traces.Moment(t.Event.At)
		}
		return t.Event.Actor + " is gone for good at " + traces.Moment(t.Event.At)
	},
}

// electorsLack is the Lacks function of lost electors.
func electorsLack(c stage.Cluster) string {
	if slices.ContainsFunc(c, func(s *stage.Server) bool { return len(s.Electors()) > 0 }) {
		return ""
	}
	return "nobody but {node}s and faults chooses the {serving}"
}

// The odds of a strike.
const (
	absentElectorOdds = 2
	lostElectorOdds   = 80
)

type lostElectors struct {
	*stage.Stage
	actor  *sim.Actor
	budget int
	absent bool // as the clients start, and never again
}

// Before asks the tape whether an elector is lost.
func (f *lostElectors) Before(sim.Upcoming) bool {
	switch {
	case !f.absent:
		return f.ask(lostElector, 2, lostElectorOdds)
	case len(f.Clients) < f.Params.Clients:
		return false // a client that starts later would find the machine
	}
	for f.ask(absentElector, 1, absentElectorOdds) {
	}
	f.budget = 0
	return false
}

// ask asks the tape which elector is lost, and in which way, and reports whether one is. None is lost
// while a partition divides the electors.
func (f *lostElectors) ask(kind sim.Kind, ways, odds int) bool {
	var spare []stage.Node
	for _, s := range f.Cluster {
		all := s.Electors()
		if there := up(all); !s.Busy && len(there)-1 > len(all)/2 {
			spare = append(spare, there...)
		}
	}
	if f.budget == 0 || len(spare) == 0 {
		return false
	}
	option := f.World.Choose(sim.Decision{Kind: kind, Actor: f.actor.Name(), Options: 1 + ways*len(spare), Odds: odds})
	if option == 0 {
		return false
	}
	f.budget--
	lost := spare[(option-1)/ways]
	lost.Crash()
	if (option-1)%ways == 0 {
		f.isolate(lost)
	} else {
		f.Later(f.actor, f.Params.Outage(), "isolate", func() { f.isolate(lost) })
	}
	return true
}

// isolate takes its machine off the network.
func (f *lostElectors) isolate(lost stage.Node) {
	cut := sim.Partition{A: []*sim.Actor{lost.Actor()}}
	for _, s := range f.Cluster {
		for _, list := range [][]stage.Node{s.Nodes(), s.Electors()} {
			for _, n := range list {
				if n.Actor() != lost.Actor() {
					cut.B = append(cut.B, n.Actor())
				}
			}
		}
	}
	for _, c := range f.Clients {
		cut.B = append(cut.B, c.Actor)
	}
	f.World.Network().Part(cut, 0)
}

// up returns the nodes that are up.
func up(list []stage.Node) (there []stage.Node) {
	for _, n := range list {
		if n.Up() {
			there = append(there, n)
		}
	}
	return there
}
