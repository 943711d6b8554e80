package explore

import (
	"math/rand/v2"

	"github.com/lockpick-dev/lockpick/sim"
)

// bounded runs the schedules in the order of the number of their deviations from calm: none, then all with one, then
// all with two (Emmi et al., "Delay-bounded scheduling", 2011; there, taking the i-th of several counts as i
// deviations, here as one). Within a bound the order is random. Segments are prompt or, as a deviation, as slow as
// jitter makes them; seeds stay calm, and selects in the order of the source. It never ends, unlike [Check], which is a
// proof within its bound.
type bounded struct {
	rng     *rand.Rand
	now     []branch // those of the present bound
	then    []branch // those with one deviation more
	current branch
	over    bool // all schedules have been run
}

// branch is a schedule: the parent's, with one more deviation after its last.
type branch struct {
	parent *branch
	at     int // the number of the decision
	option int
}

func newBounded(seed uint64, first int) strategy {
	return &bounded{rng: draws(BoundedStrategy, seed, first), now: []branch{{at: -1}}}
}

func (s *bounded) Next() sim.Tape {
	if len(s.now) == 0 {
		s.now, s.then = s.then, nil
	}
	if len(s.now) == 0 {
		s.over = true
		return sim.Calm{} // there is nothing left to decide
	}
	i, last := s.rng.IntN(len(s.now)), len(s.now)-1
	s.current = s.now[i]
	s.now[i] = s.now[last]
	s.now = s.now[:last]
	return newPlaces(&s.current)
}

func (s *bounded) Learn(_ *Outcome, taken []Taken) {
	if s.over {
		return
	}
	parent := s.current
	for i := parent.at + 1; i < len(taken); i++ {
		if !varies(taken[i].Kind) {
			continue
		}
		for option := leastDeviation(&taken[i].Decision); option < taken[i].Options; option++ {
			s.then = append(s.then, branch{&parent, i, option})
		}
	}
}

// varies reports whether a bounded search varies decisions of the kind.
func varies(k sim.Kind) bool { return k == sim.Order || k == sim.Latency || isFault(k) }

// leastDeviation returns the first option of a decision that a bounded search tries as
// a deviation. For latencies it is the last one: prompt or slow, and nothing between.
func leastDeviation(d *sim.Decision) int {
	if d.Kind == sim.Latency {
		return d.Options - 1
	}
	return 1
}

// places is a tape that deviates at certain places, by the numbers of their decisions
// in the run, and is calm elsewhere. The run has the usual size.
type places struct {
	options map[int]int
	asked   int
}

func newPlaces(b *branch) *places {
	p := &places{options: map[int]int{}}
	for ; b != nil && b.at >= 0; b = b.parent {
		p.options[b.at] = b.option
	}
	return p
}

// Choose answers a decision.
func (p *places) Choose(d sim.Decision) int {
	if !varies(d.Kind) && d.Kind != sim.Seed && !isSize(d.Kind) {
		panic(unknownKind(BoundedStrategy, d))
	}
	option := p.options[p.asked]
	p.asked++
	return option
}
