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
// that have the usual size do not depend on which sizes there are. Nor do they depend on the orders of
// selects and of woken goroutines, which it draws as well: in half of the schedules each, they are those of the source and of the scheduler.
type sized struct {
	sim.Tape
	rng            *rand.Rand
	selects, wakes *rand.Rand // nil if none deviates in this schedule
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
