package cell_test

import (
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
)

// A run is a function of its tape. The calm tape lets nothing go wrong.
func ExampleCell_Run() {
	c, err := cell.Registry{Scenarios: scenarios.All(), Locks: builtin.Locks()}.Cell("failover-loss", "setpx", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	out := c.Run(explore.Run{Tape: sim.Calm{}})
	for _, v := range out.Verdicts {
		fmt.Printf("%-18s %s\n", v.Property, v.Status)
	}
	// Output:
	// mutual-exclusion   holds
	// linearizable       holds
	// owner-only-release holds
	// fencing            not applicable
	// no-lost-update     holds
	// progress           holds
	// overrun            not applicable
	// lease-honesty      not applicable
	// timely-loss        not applicable
	// truthful-acquire   holds
	// truthful-release   holds
	// truthful-extend    not applicable
	// no-orphan          holds
	// prompt-cancel      not applicable
	// bounded-wakeup     holds
}

// A search is many random tapes. The same seed gives the same tapes, so the
// same search finds the same thing.
func ExampleCell_Run_search() {
	c, err := cell.Registry{Scenarios: scenarios.All(), Locks: builtin.Locks()}.Cell("gc-pause", "setpx-twostep", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for schedule := range 1000 {
		out := c.Run(explore.Run{Tape: explore.Random(1, schedule)})
		if violated := out.Violated(); len(violated) > 0 {
			fmt.Println(violated[0])
			return
		}
	}
	// Output:
	// mutual-exclusion (limit)
}

const nap sim.Kind = "fault:nap"

// naps stop a client for as long as its lease lasts, before any event of its own.
var naps = &stage.Fault{
	Name: "naps", Most: 4,
	About: "how often a client may sleep for as long as its lease lasts",
	One:   "a client that sleeps for as long as its lease lasts", Many: "clients that sleep for as long as their leases last",
	Inject: func(s *stage.Stage, budget int) {
		s.Strike(budget, stage.Strikes{
			Kind: nap, Options: 1, Odds: 50, // a random search strikes before one event in 50
			Can: func(e sim.Upcoming) bool { return s.Running(e) != nil },
			Do:  func(e sim.Upcoming, _ int) bool { return s.Client(e.Actor).Pause(s.Params.LeaseAsked()) },
		})
	},
	Kinds:    []sim.Kind{nap},
	Describe: func(t *stage.Choice) string { return t.Actor + " takes a nap" },
}

// A scenario of one's own, with a fault of one's own. In a test, locktest.With adds it to the
// others; in a program, simrun.Scenarios.
func ExampleScenario() {
	napping := &cell.Scenario{
		ID: "napping", Summary: "a client sleeps for as long as its lease lasts in {store}",
		Params: cell.Params{Clients: 2, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Once(naps)},
		Happenings: []cell.Happening{{Name: "a client slept", In: func(h *model.History) bool {
			for _, o := range h.Observations {
				if o.Kind == model.Paused {
					return true
				}
			}
			return false
		}}},
	}
	c, err := scenarios.Registry(builtin.Locks(), napping).Cell("napping", "setpx-del", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Summary())
	for schedule := range 1000 {
		out := c.Run(explore.Run{Tape: explore.Random(1, schedule)})
		for _, v := range out.Verdicts {
			if v.Property == "owner-only-release" && v.Status == model.Violated {
				fmt.Println(v.Violation())
				return
			}
		}
	}
	// Output:
	// a client sleeps for as long as its lease lasts in Redis
	// owner-only-release
}
