package faults

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces/story"
)

const skew sim.Kind = "fault:skew"

// Skews give the clock of a client process an error from its start: ahead or behind by
// more than a lease, slow or fast by a quarter; or slow or fast by Params.Drift, if that is set. It affects code that uses the process's
// Clock; package time has one clock for all processes.
var Skews = &stage.Fault{
	Name: "skews", Most: 16,
	About:   "how many client processes may have a clock that is off",
	One:     "a client whose clock",
	Many:    "clients whose clocks are off: one that",
	Classes: skewTexts,
	Inject: func(s *stage.Stage, budget int) {
		f := &skews{world: s.World, actor: s.World.NewActor("clocks"), budget: budget, classes: skewClasses(s.Params)}
		s.Clocks = f.draw
	},
	Kinds: []sim.Kind{skew},
	Describe: func(t *stage.Choice) string {
		if !t.Struck(sim.FaultSkew) {
			return ""
		}
		o := t.Observed()
		return fmt.Sprintf("the clock of %s %s", t.Event.Actor, story.ClockText(&o))
	},
}

const skewOdds = 2 // there is one decision per client

func skewClasses(p stage.Params) []stage.ClockError {
	if rate := int64(p.Drift); rate > 0 {
		return []stage.ClockError{{Rate: -rate}, {Rate: rate}}
	}
	off := p.LeaseAsked() * 5 / 4
	return []stage.ClockError{{Offset: off}, {Offset: -off}, {Rate: -200_000}, {Rate: 250_000}}
}

func skewTexts(p stage.Params, _ stage.Terms) (words []string) {
	for _, c := range skewClasses(p) {
		words = append(words, story.ClockText(&model.Observation{Kind: model.ClockOff, Ahead: c.Offset, Rate: c.Rate}))
	}
	return words
}

type skews struct {
	world   *sim.World
	actor   *sim.Actor
	budget  int
	classes []stage.ClockError
}

// draw decides the clock error of the next process.
func (f *skews) draw() stage.ClockError {
	if f.budget == 0 {
		return stage.ClockError{}
	}
	option := f.world.Choose(sim.Decision{Kind: skew, Actor: f.actor.Name(), Options: 1 + len(f.classes), Odds: skewOdds})
	if option == 0 {
		return stage.ClockError{}
	}
	f.budget--
	return f.classes[option-1]
}
