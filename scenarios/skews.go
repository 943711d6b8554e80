package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// skew is how a clock is off.
type skew struct {
	offset time.Duration
	rate   int64 // in parts per million
}

// strike tells of a clock that is off.
func (s skew) strike(w *sim.World, p *sim.Process) {
	if s != (skew{}) {
		w.Strike(p.Actor, sim.Fault{Kind: sim.FaultSkew, By: s.offset, Rate: s.rate})
	}
}

// skewClasses are how the clock of a client process may be off: ahead or behind
// by more than a lease, slow or fast by a quarter.
func skewClasses(p Params) []skew {
	off := p.lease() * 5 / 4
	return []skew{{offset: off}, {offset: -off}, {rate: -200_000}, {rate: 250_000}}
}

// skews decides, before a client process begins, whether its clock is off. That
// concerns code that asks for its [Client.Clock]: package time has one clock for
// all.
type skews struct {
	world   *sim.World
	actor   *sim.Actor
	budget  int
	classes []skew
}

func newSkews(w *sim.World, p Params) *skews {
	if p.Skews == 0 {
		return &skews{}
	}
	return &skews{world: w, actor: w.NewActor("clocks"), budget: p.Skews, classes: skewClasses(p)}
}

// draw answers how the clock of the next process is off.
func (f *skews) draw() skew {
	if f.budget == 0 {
		return skew{}
	}
	option := f.world.Choose(sim.Decision{Kind: skewFault, Actor: f.actor.Name(), Options: 1 + len(f.classes), Odds: skewOdds})
	if option == 0 {
		return skew{}
	}
	f.budget--
	return f.classes[option-1]
}
