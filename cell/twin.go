package cell

import (
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// twin selects a calm run that differs from the plain one in a single respect, to show
// which inputs the values that a lock writes depend on.
type twin int

const (
	// noTwin is the plain run.
	noTwin twin = iota
	// otherProcess has a client with another name, another address and other random
	// numbers, at the same nanoseconds.
	otherProcess
	// nextNanosecond is otherProcess a nanosecond later. Windows and readings of a Clock
	// are the same.
	nextNanosecond
	// packageTimeAhead is the plain run with package time ahead of all clocks of the run.
	packageTimeAhead
	twins
)

// ahead returns the time by which package time is ahead of clocks.
func (t twin) ahead() time.Duration {
	if t == packageTimeAhead {
		return packageAhead
	}
	return 0
}

// packageAhead is longer than any lease.
const packageAhead = time.Hour

// otherwise reports whether the client differs from the plain run's.
func (t twin) otherwise() bool { return t == otherProcess || t == nextNanosecond }

// first returns the number of the first client.
func (t twin) first() int {
	if !t.otherwise() {
		return 0
	}
	return 1
}

// shift moves all events of the actors that follow to a later nanosecond.
func (t twin) shift(w *sim.World) {
	if t == nextNanosecond {
		w.NewActor("spare") // it takes the nanosecond that would be theirs
	}
}

// seeds returns choices of seeds that differ from those of the plain run.
func (t twin) seeds(process string) (tape []sim.Choice) {
	if t.otherwise() {
		for _, actor := range []string{"world", process} {
			tape = append(tape, sim.Choice{Kind: sim.Seed, Actor: actor, Options: 1 << 30, Option: 12345})
		}
	}
	return tape
}
