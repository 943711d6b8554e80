package stage

import "github.com/lockpick-dev/lockpick/sim"

// Strikes is a fault that strikes an actor before an event of that actor, as the tape
// decides. It is the usual injector.
type Strikes struct {
	// Kind is the kind of its decisions. Options is the number of ways to strike, at least
	// 1. For a random tape, one in Odds decisions is a strike.
	Kind          sim.Kind
	Options, Odds int
	// Can reports whether the fault may strike before the event.
	Can func(sim.Upcoming) bool
	// Do strikes the event's actor in one of the ways, from 0. It reports whether it has
	// changed the world: the event may then happen later, or not at all.
	Do func(e sim.Upcoming, option int) bool
}

// Strike injects a fault that strikes up to budget times.
func (s *Stage) Strike(budget int, f Strikes) {
	s.Add(&striker{Strikes: f, world: s.World, budget: budget})
}

type striker struct {
	Strikes
	world  *sim.World
	budget int
}

// Before asks the tape whether the fault strikes.
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
