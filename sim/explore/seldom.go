package explore

import (
	"cmp"
	"slices"
)

// seldom counts the sorts of requests that the runs of a block make. A request that few runs make is a
// sign of code that seldom runs, such as a lock's recovery from a failure. FairFuzz extends inputs that
// reach rare branches for the same reason (Lemieux and Sen, "FairFuzz: a targeted mutation strategy for
// increasing greybox fuzz testing coverage", 2018).
type seldom struct {
	runs  int // those that did not extend a run with a seldom request
	sorts []sort
	at    map[uint64]int // the place of a sort in the list, by its hash
}

// sort is a sort of requests.
type sort struct {
	runs   int       // the number of these runs that made one
	picked int       // the number of plans that extended them
	by     []*parent // those that were planned
}

// The probabilities, in percent, of extending a run with a seldom request, if there is one, and of
// the ways to do it.
const (
	extends  = 60 // extend one
	drops    = 30 // leave out one of its faults
	dropFull = 80 // leave one out, if it has as many as a run can take
	after    = 30 // place further faults after its own
	fromCalm = 50 // draw further faults from the calm run: a run that has taken all its faults has no decisions about more
	another  = 50 // strike a process that its faults have not struck
)

// seldomIs is the number of runs among which at most one makes a seldom request.
const seldomIs = 32

// count counts the requests of a run; p is its plan, nil if it has none. A run that extends one with a seldom
// request is not counted, since it often makes that request.
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

// is reports whether a sort is seldom, after the given number of runs, and has a plan to
// extend.
func (x *sort) is(runs int) bool { return x.runs*seldomIs <= runs && len(x.by) > 0 }

// has reports whether there is a seldom request. It returns false if most requests are
// seldom: their names then differ from run to run, and mean nothing.
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

// extend plans the faults of another run, sometimes without one of them, with one or two
// more.
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
