package explore

import (
	"math/rand/v2"

	"github.com/lockpick-dev/lockpick/sim"
)

// newPOS returns partial order sampling (Yuan et al., "Partial order aware concurrency
// sampling", 2018): every event draws a priority when it first may happen, the highest
// goes first, and the events in conflict with it, which happen to the same actor, draw
// anew. It samples the classes of orders more evenly than a random walk, which favours
// those with many schedules. Latencies are drawn evenly, and faults by their odds.
func newPOS(seed uint64, first int) strategy {
	return &separate{name: POSStrategy, seed: seed, next: first, tape: func(rng *rand.Rand) sim.Tape { return newPOSTape(rng) }}
}

type posTape struct {
	rng      *rand.Rand
	priority map[int64]uint64 // of events, by serial
}

func newPOSTape(rng *rand.Rand) *posTape { return &posTape{rng, map[int64]uint64{}} }

// Choose answers a decision.
func (t *posTape) Choose(d sim.Decision) int {
	switch {
	case d.Kind == sim.Seed || d.Kind == sim.Latency || isCourse(&d):
		return t.rng.IntN(d.Options)
	case d.Kind == sim.Order:
		return t.first(d)
	case isFault(d.Kind):
		return deviate(t.rng, d, d.Odds)
	}
	panic(unknownKind(POSStrategy, d))
}

func (t *posTape) first(d sim.Decision) int {
	best := 0
	for i, c := range d.Candidates {
		if _, known := t.priority[c.Serial]; !known {
			t.priority[c.Serial] = t.rng.Uint64()
		}
		if t.priority[c.Serial] > t.priority[d.Candidates[best].Serial] {
			best = i
		}
	}
	for i, c := range d.Candidates {
		if i != best && c.To == d.Candidates[best].To {
			delete(t.priority, c.Serial)
		}
	}
	return best
}
