package stage

import "github.com/lockpick-dev/lockpick/sim"

// Strikes is a fault that strikes actors before events of their own, as the tape
// decides: the usual injector.
type Strikes struct {
	// Kind is what its decisions are called. Options are how many ways there are to
	// strike, at least 1, and Odds is how rare a strike is for a random tape, in
	// questions.
	Kind          sim.Kind
	Options, Odds int
	// Can reports whether it may strike before the event.
	Can func(sim.Upcoming) bool
	// Do strikes the event's actor in one of the ways, from 0, and reports whether
	// the world has changed, so that the event is to be looked at again.
	Do func(e sim.Upcoming, option int) bool
}

// Strike injects a fault that strikes up to so many times.
func (s *Stage) Strike(budget int, f Strikes) {
	s.World.Inject(&striker{Strikes: f, world: s.World, budget: budget})
}

type striker struct {
	Strikes
	world  *sim.World
	budget int
}

// Before is the injector's question.
func (f *striker) Before(e sim.Upcoming) bool {
	if f.budget == 0 || !f.Can(e) {
		return false
	}
	option := f.world.Choose(sim.Decision{Kind: f.Kind, Actor: e.Actor.Name(), Options: 1 + f.Options, Odds: f.Odds})
	if option == 0 {
		return false
	}
	f.budget--
	return f.Do(e, option-1)
}
