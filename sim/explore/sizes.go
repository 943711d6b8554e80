package explore

import (
	"math/rand/v2"
	"strings"

	"github.com/lockpick-dev/lockpick/sim"
)

// SizePrefix begins the names of the kinds of decisions about the size of a run, such as its
// length. They are asked during set-up, and have Odds.
const SizePrefix = "size:"

// isSize reports whether decisions of the kind are about the size of a run.
func isSize(k sim.Kind) bool { return strings.HasPrefix(string(k), SizePrefix) }

// sized is a tape that draws the size of a run by the odds of its decisions, from a random source of its own, and asks
// another tape for the rest. So a seed's schedules of the usual size do not depend on which other sizes exist. It draws
// the orders of selects and of woken goroutines from sources of their own, too: in half of the schedules selects are in
// the order of the source, and in half woken goroutines are in the scheduler's.
type sized struct {
	sim.Tape
	rng            *rand.Rand
	selects, wakes *rand.Rand // nil if they are calm in this schedule
}

// newSized returns a sized tape with the sources of a schedule of a strategy.
func newSized(t sim.Tape, strategy string, seed uint64, schedule int) *sized {
	half := func(purpose string) *rand.Rand {
		if rng := draws(purpose+strategy, seed, schedule); rng.IntN(2) == 1 {
			return rng
		}
		return nil
	}
	return &sized{t, draws("sizes of "+strategy, seed, schedule), half("selects of "), half("wakes of ")}
}

// Choose answers a decision.
func (t *sized) Choose(d sim.Decision) int {
	if isSize(d.Kind) {
		return deviate(t.rng, d, d.Odds)
	}
	return t.Tape.Choose(d)
}

// ChooseSelect answers a decision about selects or woken goroutines.
func (t *sized) ChooseSelect(d sim.Decision) int {
	rng := t.selects
	if d.Kind == sim.Wake {
		rng = t.wakes
	}
	if rng == nil || rng.IntN(2) == 0 {
		return 0
	}
	if d.Options == 2 {
		return 1
	}
	return 1 + rng.IntN(d.Options-1)
}
