package explore

import (
	"math/rand/v2"

	"github.com/lockpick-dev/lockpick/sim"
)

// Random returns a tape that draws its choices from a seed: the tape of the given
// schedule of a random search with that seed. If a decision has Odds, the tape deviates
// from calm that rarely.
func Random(seed uint64, schedule int) sim.Tape {
	return newSized(&randomTape{rand.New(rand.NewPCG(seed, uint64(schedule)))}, RandomStrategy, seed, schedule)
}

type randomTape struct{ rng *rand.Rand }

func (t *randomTape) Choose(d sim.Decision) int {
	if d.Odds == 0 {
		return t.rng.IntN(d.Options)
	}
	if t.rng.IntN(d.Odds) != 0 {
		return 0
	}
	return 1 + t.rng.IntN(d.Options-1)
}

// randomStrategy is [Random] as a strategy.
type randomStrategy struct {
	forgetful
	seed uint64
	next int
}

func newRandomStrategy(seed uint64, first int) strategy {
	return &randomStrategy{seed: seed, next: first}
}

func (s *randomStrategy) Next() sim.Tape {
	t := Random(s.seed, s.next)
	s.next++
	return t
}
