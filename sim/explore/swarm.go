package explore

import (
	"math/rand/v2"

	"github.com/lockpick-dev/lockpick/sim"
)

// newSwarm returns random testing with a configuration drawn for each schedule: which
// kinds of faults may strike, how likely each is, and whether latencies and orders vary
// (Groce et al., "Swarm testing", 2012). Some bugs are found only without the kinds of
// faults that hide them.
func newSwarm(seed uint64, first int) strategy {
	return &separate{name: SwarmStrategy, seed: seed, next: first, tape: func(rng *rand.Rand) sim.Tape { return newSwarmTape(rng) }}
}

type swarmTape struct {
	rng  *rand.Rand
	odds map[sim.Kind]float64 // the factor of the odds of a kind of fault; 0 if it does not strike
	calm map[sim.Kind]bool    // the other kinds that do not vary
}

func newSwarmTape(rng *rand.Rand) *swarmTape {
	return &swarmTape{rng: rng, odds: map[sim.Kind]float64{}, calm: map[sim.Kind]bool{}}
}

// Choose answers a decision. It draws the configuration of a kind at its first
// decision.
func (t *swarmTape) Choose(d sim.Decision) int {
	if isCourse(&d) {
		return t.rng.IntN(d.Options)
	}
	if !isFault(d.Kind) && d.Odds == 0 {
		calm, known := t.calm[d.Kind]
		if !known {
			calm = t.rng.IntN(3) == 0
			t.calm[d.Kind] = calm
		}
		if calm {
			return 0
		}
		return t.rng.IntN(d.Options)
	}
	factor, known := t.odds[d.Kind]
	if !known {
		factor = []float64{0, 0, 1. / 8, 1. / 4, 1. / 2, 1, 2}[t.rng.IntN(7)]
		t.odds[d.Kind] = factor
	}
	if factor == 0 {
		return 0
	}
	return deviate(t.rng, d, int(float64(d.Odds)*factor))
}
