package explore

import (
	"math/rand/v2"

	"github.com/lockpick-dev/lockpick/sim"
)

// sized is a tape that draws the size of a run by the odds of its decisions, from a
// random source of its own, and asks another tape for the rest. So the schedules of a seed
// that have the usual size do not depend on which sizes there are.
type sized struct {
	sim.Tape
	rng *rand.Rand
}

// Choose answers a decision.
func (t *sized) Choose(d sim.Decision) int {
	if d.Kind.IsSize() {
		return deviate(t.rng, d, d.Odds)
	}
	return t.Tape.Choose(d)
}

// sizeDraws is the random source for the size of a schedule.
func sizeDraws(strategy string, seed uint64, schedule int) *rand.Rand {
	return draws("sizes of "+strategy, seed, schedule)
}
