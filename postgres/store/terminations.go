package store

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

const termination sim.Kind = "fault:termination"

// faultTermination is the text of a termination in the log.
const faultTermination sim.FaultKind = "terminate"

// Terminations end sessions of a server, as pg_terminate_backend by an administrator does, before any event of the
// server. Those of a pooler are among them.
var Terminations = &stage.Fault{
	Name: "terminations", Most: 64,
	About:  "how many sessions an administrator may end (pg_terminate_backend)",
	One:    "a session that an administrator ends",
	Many:   "sessions that an administrator ends",
	Resets: true,
	Inject: func(s *stage.Stage, budget int) {
		s.Add(&terminations{Stage: s, budget: budget})
	},
	Kinds:    []sim.Kind{termination},
	Describe: describeTermination,
}

const terminationOdds = 25

type terminations struct {
	*stage.Stage
	budget int
}

// Before asks the tape whether a session ends.
func (f *terminations) Before(e sim.Upcoming) bool {
	n, is := f.Up(e).(node)
	if f.budget == 0 || !is || n.Hangs() {
		return false
	}
	pids := n.Sessions()
	if len(pids) == 0 {
		return false
	}
	option := f.World.Choose(sim.Decision{Kind: termination, Actor: e.Actor.Name(), Options: 1 + len(pids), Odds: terminationOdds})
	if option == 0 {
		return false
	}
	f.budget--
	f.World.Fault(e.Actor, faultTermination, 0)
	return n.TerminatePID(pids[option-1])
}

// describeTermination describes a termination by the end of the session that it has ended.
func describeTermination(t *stage.Choice) string {
	if !t.Struck(faultTermination) {
		return ""
	}
	return fmt.Sprintf("an administrator ends a session on %s at %s", t.Event.Actor, traces.Moment(t.Event.At))
}
