package main

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// liveMigration moves the virtual machine of a client to another host, which stops it for a
// second or two.
var liveMigration = &cell.Scenario{
	ID:      "live-migration",
	Summary: "the machine of a client moves to another host, and stops for as long as a lease lasts",
	Params:  cell.Params{Clients: 2, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Once(migrations)},
	Happenings: []cell.Happening{
		{Name: "a client was moved", In: moved},
	},
}

// moved: a client stopped and went on.
func moved(h *model.History) bool {
	return slices.ContainsFunc(h.Observations, func(o model.Observation) bool { return o.Kind == model.Paused })
}

const migration sim.Kind = "fault:live-migration"

// migrations stop a client before any event of its own.
var migrations = &stage.Fault{
	Name: "live-migrations", Most: 8,
	About: "how often a client may move to another host",
	One:   "a client that moves to another host", Many: "clients that move to another host",
	Inject: func(s *stage.Stage, budget int) {
		s.Strike(budget, stage.Strikes{
			Kind: migration, Options: 1, Odds: 50,
			Can: func(e sim.Upcoming) bool { return s.Running(e) != nil },
			Do:  func(e sim.Upcoming, _ int) bool { return s.Client(e.Actor).Pause(s.Params.LeaseAsked()) },
		})
	},
	Kinds:    []sim.Kind{migration},
	Describe: func(t *stage.Choice) string { return t.Actor + " is moved at " + traces.Moment(t.Event.At) },
}
