package explore

import (
	"math/rand/v2"

	"github.com/lockpick-dev/lockpick/sim"
)

// pct is probabilistic concurrency testing for messages: PCTCP (Ozkan et al.,
// "Randomized testing of distributed systems with probabilistic guarantees", 2018).
// Messages belong to chains, here the links from one actor to another. Each chain has a
// random priority, which decides orders and whether its messages are fast or slow; at a
// few random places of the run the priority of the present chain becomes the lowest.
// Faults are placed like these changes: a few, at places drawn evenly from the whole
// run, and not by their odds. A bug that needs d of them is found by a schedule with a
// probability of about one in k to the d, where k is the length of the run.
type pct struct {
	seed uint64
	next int
	// The numbers of decisions about faults and about orders in a run. The places
	// are drawn among them.
	faults, orders int
}

func newPCT(seed uint64, first int) strategy {
	return &pct{seed: seed, next: first, faults: 100, orders: 20}
}

func (s *pct) Next() sim.Tape {
	t := newSized(newPCTTape(draws(PCTStrategy, s.seed, s.next), s.faults, s.orders), PCTStrategy, s.seed, s.next)
	s.next++
	return t
}

// Learn keeps the lengths of the last run, unless many faults cut it short.
func (s *pct) Learn(_ *Outcome, taken []Taken) {
	faults, orders := lengths(taken)
	s.faults, s.orders = max(faults, s.faults*9/10, 1), max(orders, s.orders*9/10, 1)
}

// lengths counts the decisions about faults and about orders.
func lengths(taken []Taken) (faults, orders int) {
	for i := range taken {
		switch {
		case isFault(taken[i].Kind) && !isCourse(&taken[i].Decision):
			faults++
		case taken[i].Kind == sim.Order:
			orders++
		}
	}
	return faults, orders
}

type pctTape struct {
	rng      *rand.Rand
	priority map[[2]int]int // of chains
	pace     map[[2]int]int // the speeds of chains, as priorities
	faults   map[int]bool   // places, by the number of the decision
	changes  map[int]bool
	fault, order,
	lowest int
}

func newPCTTape(rng *rand.Rand, faults, orders int) *pctTape {
	t := &pctTape{rng: rng, priority: map[[2]int]int{}, pace: map[[2]int]int{}, faults: map[int]bool{}, changes: map[int]bool{}}
	for range few(rng) {
		t.faults[rng.IntN(faults)] = true
	}
	for range few(rng) - 1 {
		t.changes[rng.IntN(orders)] = true
	}
	return t
}

// few draws a small number: 1 in half of the cases, and larger ones with falling
// probability.
func few(rng *rand.Rand) int {
	n := 1
	for n < 6 && rng.IntN(2) == 0 {
		n++
	}
	return n
}

// Choose answers a decision.
func (t *pctTape) Choose(d sim.Decision) int {
	switch {
	case d.Kind == sim.Seed || isCourse(&d):
		return t.rng.IntN(d.Options)
	case d.Kind == sim.Latency:
		return t.travel(d)
	case d.Kind == sim.Order:
		return t.first(d)
	case isFault(d.Kind):
		t.fault++
		if t.faults[t.fault-1] {
			return 1 + t.rng.IntN(d.Options-1)
		}
		return 0
	}
	panic(unknownKind(PCTStrategy, d))
}

// first returns the candidate of the highest priority.
func (t *pctTape) first(d sim.Decision) int {
	best, highest := 0, -1<<62
	for i, c := range d.Candidates {
		chain := [2]int{c.From, c.To}
		p, known := t.priority[chain]
		if !known {
			p = t.rng.IntN(1 << 30)
			t.priority[chain] = p
		}
		if p > highest {
			best, highest = i, p
		}
	}
	if t.changes[t.order] && best < len(d.Candidates) {
		c := d.Candidates[best]
		t.lowest--
		t.priority[[2]int{c.From, c.To}] = t.lowest
	}
	t.order++
	return best
}

// travel returns the latency of a segment, which is nearly the same for all segments of
// a chain.
func (t *pctTape) travel(d sim.Decision) int {
	var chain [2]int
	for _, c := range d.Candidates {
		chain = [2]int{c.From, c.To}
	}
	pace, known := t.pace[chain]
	if !known {
		pace = t.rng.IntN(d.Options)
		t.pace[chain] = pace
	}
	if t.rng.IntN(8) == 0 {
		return t.rng.IntN(d.Options)
	}
	return min(pace, d.Options-1)
}
