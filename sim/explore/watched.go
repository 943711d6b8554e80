package explore

import "github.com/lockpick-dev/lockpick/sim"

// A Taken is a decision with the option that was taken.
type Taken struct {
	sim.Decision
	Option int
}

// Choice is what a recorded tape keeps of it.
func (t Taken) Choice() sim.Choice {
	return sim.Choice{Kind: t.Kind, Actor: t.Actor, Occurrence: t.Occurrence, Options: t.Options, Option: t.Option}
}

// Watched is a tape that remembers what another was asked and answered.
type Watched struct {
	sim.Tape
	Taken []Taken
}

// Choose asks the other tape.
func (w *Watched) Choose(d sim.Decision) int {
	option := w.Tape.Choose(d)
	d.Candidates = nil // good during the call only
	w.Taken = append(w.Taken, Taken{d, option})
	return option
}

// Choices are what was answered, as a recorded tape.
func (w *Watched) Choices() []sim.Choice {
	list := make([]sim.Choice, len(w.Taken))
	for i, t := range w.Taken {
		list[i] = t.Choice()
	}
	return list
}
