package user

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// napping is a scenario of the user's own, with a fault of the user's own.
var napping = &cell.Scenario{
	ID:      "napping",
	Summary: "a client sleeps for as long as its lease lasts in {store}",
	Params:  cell.Params{Clients: 2, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Once(naps)},
	Happenings: []cell.Happening{{Name: "a client slept", In: func(h *model.History) bool {
		return slices.ContainsFunc(h.Observations, func(o model.Observation) bool { return o.Kind == model.Paused })
	}}},
}

const nap sim.Kind = "fault:nap"

// naps stop a client for as long as its lease lasts, before any event of its own.
var naps = &stage.Fault{
	Name: "naps", Most: 4,
	About: "how often a client may sleep for as long as its lease lasts",
	One:   "a client that sleeps for as long as its lease lasts", Many: "clients that sleep for as long as their leases last",
	Inject: func(s *stage.Stage, budget int) {
		s.Strike(budget, stage.Strikes{
			Kind: nap, Options: 1, Odds: 50,
			Can: func(e sim.Upcoming) bool { return s.Running(e) != nil },
			Do:  func(e sim.Upcoming, _ int) bool { return s.Client(e.Actor).Pause(s.Params.LeaseAsked()) },
		})
	},
	Kinds:    []sim.Kind{nap},
	Describe: func(t *stage.Choice) string { return t.Actor + " takes a nap at " + traces.Moment(t.Event.At) },
}
