package explore

import (
	"math/rand/v2"
	"strings"

	"github.com/lockpick-dev/lockpick/sim"
)

// SizePrefix begins the names of the kinds of decisions about the size of a run, such as how
// long it is. They are asked during set-up, and have Odds.
const SizePrefix = "size:"

// isSize reports whether decisions of the kind are about the size of a run.
func isSize(k sim.Kind) bool { return strings.HasPrefix(string(k), SizePrefix) }

// sized is a tape that draws the size of a run by the odds of its decisions, from a
// random source of its own, and asks another tape for the rest. So the schedules of a seed
// that have the usual size do not depend on which sizes there are.
type sized struct {
	sim.Tape
	rng *rand.Rand
}

// Choose answers a decision.
func (t *sized) Choose(d sim.Decision) int {
	if isSize(d.Kind) {
		return deviate(t.rng, d, d.Odds)
	}
	return t.Tape.Choose(d)
}

// sizeDraws is the random source for the size of a schedule.
func sizeDraws(strategy string, seed uint64, schedule int) *rand.Rand {
	return draws("sizes of "+strategy, seed, schedule)
}
