package explore

import (
	"math/rand/v2"

	"github.com/lockpick-dev/lockpick/sim"
)

// portfolio runs all strategies that never end. A strategy gets more schedules while it
// keeps showing something new: a class of outcomes that no strategy has shown in this
// block. With a share of w, a strategy takes 1/w times as long to find its bugs as
// alone. So guided, which is the best for most bugs, has more than half; it learns from
// all runs what is not new. pct, whose faults do not depend on anything learnt, has a
// tenth. If there are many kinds of faults, guided is not better than random and pos
// for bugs that need few of them, and has a smaller share. No strategy has less than
// one in eighty.
type portfolio struct {
	rng     *rand.Rand
	guided  *guided
	arms    []arm
	current *arm
	classes map[uint64]bool
	many    bool // the runs have many kinds of faults
}

// arm is one strategy of the portfolio.
type arm struct {
	strategy
	share float64 // of the schedules, at first and at least
	many  float64 // the same if there are many kinds of faults
	runs  float64 // of late, weighted
	new   float64 // of these, those that showed a new class
}

func newPortfolio(seed uint64, first int) strategy {
	rng := draws(PortfolioStrategy, seed, first)
	g := learner(draws(GuidedStrategy, seed, first))
	return &portfolio{
		rng: rng, guided: g, classes: map[uint64]bool{},
		arms: []arm{
			{strategy: g, share: 0.79, many: 0.40},
			{strategy: newRandomStrategy(seed, first), share: 0.04, many: 0.28},
			{strategy: newSwarm(seed, first), share: 0.04, many: 0.05},
			{strategy: newPCT(seed, first), share: 0.09, many: 0.04},
			{strategy: newPOS(seed, first), share: 0.04, many: 0.24},
		},
	}
}

func (s *portfolio) Next() sim.Tape {
	total := 0.0
	for i := range s.arms {
		total += s.arms[i].weight(s.many)
	}
	x := s.rng.Float64() * total
	s.current = &s.arms[0]
	for i := range s.arms {
		w := s.arms[i].weight(s.many)
		if x < w {
			s.current = &s.arms[i]
			break
		}
		x -= w
	}
	return s.current.Next()
}

// weight returns the share of an arm, up to twice as much for one that shows
// something new each time, down to half for one that never does.
func (a *arm) weight(many bool) float64 {
	share := a.share
	if many {
		share = a.many
	}
	return share * (0.5 + 1.5*(a.new+1)/(a.runs+2))
}

func (s *portfolio) Learn(o *Outcome, taken []Taken) {
	const memory = 0.95
	a := s.current
	a.runs, a.new = a.runs*memory+1, a.new*memory
	if !s.classes[o.Class] {
		s.classes[o.Class] = true
		a.new++
	}
	s.many = s.many || manyFaults(taken)
	for i := range s.arms {
		if other := s.arms[i].strategy; other == s.current.strategy || other == strategy(s.guided) {
			other.Learn(o, taken)
		}
	}
}
