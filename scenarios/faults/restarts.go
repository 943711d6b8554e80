package faults

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

const (
	restart      sim.Kind = "fault:restart"
	cleanRestart sim.Kind = "fault:clean-restart"
)

// Restarts crash a serving node before any event, and restart it soon after with some of
// its data. It returns too soon for a promotion.
var Restarts = &stage.Fault{
	Name: "restarts", Most: 16,
	About:   "how often a {serving} may restart, and come back {kept}",
	One:     "a restart of a {serving}: it comes back",
	Many:    "restarts of a {serving}: it comes back",
	Resets:  true,
	Classes: func(_ stage.Params, t stage.Terms) []string { return t.Kept },
	Lacks:   restartsLack,
	Inject: func(s *stage.Stage, budget int) {
		s.Add(&restarts{Stage: s, actor: s.World.NewActor("restarts"), kind: restart, budget: budget})
	},
	Kinds:    []sim.Kind{restart},
	Describe: describeRestart,
}

// CleanRestarts are [Restarts] without data loss.
var CleanRestarts = &stage.Fault{
	Name: "clean-restarts", Most: 16,
	About:  "how often a {serving} may restart with all of its data",
	One:    "a restart of a {serving} with all of its data",
	Many:   "restarts of a {serving} with all of its data",
	Resets: true,
	Lacks:  restartsLack,
	Inject: func(s *stage.Stage, budget int) {
		s.Add(&restarts{Stage: s, actor: s.World.NewActor("clean-restarts"), kind: cleanRestart, clean: true, budget: budget})
	},
	Kinds:    []sim.Kind{cleanRestart},
	Describe: describeRestart,
}

var restartsLack = unlessServer[stage.Restarting]("a {node} cannot start again")

const restartOdds = 80

type restarts struct {
	*stage.Stage
	actor  *sim.Actor
	kind   sim.Kind
	clean  bool
	budget int
}

// Before asks the tape whether a node restarts.
func (f *restarts) Before(sim.Upcoming) bool {
	servers := stage.With[stage.Restarting](f.Cluster)
	if f.budget == 0 || len(servers) == 0 {
		return false
	}
	kept := 1
	if !f.clean {
		kept = len(f.Store.Terms().Kept)
	}
	option := f.World.Choose(sim.Decision{
		Kind: f.kind, Actor: f.actor.Name(), Options: 1 + kept*servers.Idle(), Odds: restartOdds,
	})
	if option == 0 {
		return false
	}
	f.budget--
	s, keeps := servers.IdleAt((option-1)/kept), (option-1)%kept
	if s.Of != nil {
		keeps = min(keeps, len(s.Of.Terms().Kept)-1)
	}
	r := s.Authority.(stage.Restarting)
	s.Busy = true
	node := s.Serving()
	node.Crash()
	f.Later(f.actor, f.Params.Outage(), "restart", func() {
		r.Restart(node, keeps)
		s.Busy = false
	})
	return true
}

// describeRestart describes a restart and the data that it lost.
func describeRestart(t *stage.Choice) string {
	if !t.Struck(sim.FaultCrash) {
		return ""
	}
	kept := t.Terms.Kept
	if t.Kind == cleanRestart {
		kept = kept[:1]
	}
	n := len(kept)
	if t.Kind == restart {
		n = len(t.Servers.Terms().Kept)
	}
	with := kept[min((t.Option-1)%n, len(kept)-1)]
	return fmt.Sprintf("%s crashes at %s and restarts %s", t.Event.Actor, traces.Moment(t.Event.At), with)
}
