package explore

import (
	"cmp"
	"slices"
)

// seldom counts which sorts of requests the runs of a block make. One that few make is a sign of code that
// seldom runs, such as a lock's recovery from a failure. FairFuzz goes on from inputs that reach rare
// branches for the same reason (Lemieux and Sen, "FairFuzz: a targeted mutation strategy for increasing
// greybox fuzz testing coverage", 2018).
type seldom struct {
	runs  int // that did not go on from a run with a seldom request
	sorts []sort
	at    map[uint64]int // the place of a sort in the list, by its hash
}

// sort is a sort of requests.
type sort struct {
	runs   int       // how many of these runs have made one
	picked int       // how many plans have gone on from them
	by     []*parent // those of plans
}

// How often a plan goes on from a run with a seldom request, where there is one, and how, in percent.
const (
	extends  = 60 // go on
	drops    = 30 // leave out one of the run's faults
	dropFull = 80 // leave one out, if the run has as many as it can take
	after    = 30 // let further faults come after those of the run
	fromCalm = 50 // draw further faults from the calm run: one that has taken all its faults is asked for no more
	another  = 50 // let further faults strike a process that the run's have not struck
)

// seldomIs is the number of runs of which at most one makes a seldom request.
const seldomIs = 32

// count counts the requests of a run, and p is its plan, nil if it has none. A run that goes on from one with a
// seldom request is not counted, since it often makes that request.
func (s *seldom) count(served []uint64, p *plan) {
	goesOn := p != nil && p.extends
	if !goesOn {
		s.runs++
	}
	for _, hash := range served {
		i, known := s.at[hash]
		if !known {
			i = len(s.sorts)
			s.at[hash], s.sorts = i, append(s.sorts, sort{})
		}
		if !goesOn {
			s.sorts[i].runs++
		}
	}
}

// made notes the plan of a run that has been counted.
func (s *seldom) made(served []uint64, p *parent) {
	for _, hash := range served {
		x := &s.sorts[s.at[hash]]
		x.by = append(x.by, p)
	}
}

// is reports whether a sort is seldom, after so many runs, and has a plan to go on from.
func (x *sort) is(runs int) bool { return x.runs*seldomIs <= runs && len(x.by) > 0 }

// has reports whether there is a seldom request. If most are, their names differ from run to
// run, and say nothing.
func (s *seldom) has() bool {
	n := 0
	for i := range s.sorts {
		if s.sorts[i].is(s.runs) {
			n++
		}
	}
	return n > 0 && n <= len(s.sorts)/2
}

// pick chooses the sort that the fewest runs make and that was picked least, and of its runs the one that was
// picked least. So in time it also picks runs that were extended from others.
func (s *seldom) pick() *parent {
	var best *sort
	for i := range s.sorts {
		if x := &s.sorts[i]; x.is(s.runs) && (best == nil || x.runs+x.picked < best.runs+best.picked) {
			best = x
		}
	}
	best.picked++
	p := slices.MinFunc(best.by, func(a, b *parent) int { return cmp.Compare(a.picked, b.picked) })
	p.picked++
	return p
}

// extend plans the faults of another run, sometimes without one of them, and one or two more.
func (s *guided) extend(q *parent) *plan {
	p := &plan{strikes: struckUntil(q.trail, len(q.trail)), noise: q.noise, extends: true}
	drop := drops
	if len(p.strikes) >= s.budget {
		drop = dropFull
	}
	if len(p.strikes) > 1 && s.percent(drop) {
		i := s.rng.IntN(len(p.strikes))
		p.strikes = slices.Delete(p.strikes, i, i+1)
	}
	if s.percent(after) {
		p.first = len(p.strikes)
	}
	trail, victim := q.trail, uint64(0)
	if s.percent(fromCalm) {
		trail = s.runs[0].trail
	}
	if s.percent(another) {
		victim = s.unhurt(q.trail)
	}
	for range 1 + s.rng.IntN(2) {
		if k, ok := s.strike(trail, victim, 2, s.percent(regimes)); ok {
			p.strikes = append(p.strikes, k)
		}
	}
	return p
}

// unhurt returns a process that no fault of a run has struck, 0 if there is none.
func (s *guided) unhurt(trail []passing) uint64 {
	var struck, others []uint64
	for i := range trail {
		if p := &trail[i]; p.option != 0 {
			struck = append(struck, p.place[byProcess])
		}
	}
	for i := range trail {
		if who := trail[i].place[byProcess]; who != 0 && !slices.Contains(struck, who) && !slices.Contains(others, who) {
			others = append(others, who)
		}
	}
	if len(others) == 0 {
		return 0
	}
	return others[s.rng.IntN(len(others))]
}
