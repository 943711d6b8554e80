package explore

import "maps"

// site returns the place without process, actor and task number.
func (p *passing) site() place {
	at := p.place
	at[byProcess], at[byTaskNumber], at[byActor] = 0, 0, 0
	return at
}

// visits has the number of runs that have passed a site, and the last of them.
type visits struct{ runs, last int }

// visit counts the sites that the last run has passed.
func (s *guided) visit(trail []passing) {
	for i := range trail {
		at := trail[i].site()
		if v := s.visits[at]; v.last != len(s.runs) {
			s.visits[at] = visits{v.runs + 1, len(s.runs)}
		}
	}
}

// branch plans to follow an earlier run up to a place that few runs have passed, and to
// strike there. Up to it, noise and faults are the same as in the earlier run. The rest
// of the fault budget is scattered over the places after it.
func (s *guided) branch() *plan {
	parent, at := s.rare()
	if parent == nil {
		return s.afresh()
	}
	p := &plan{noise: parent.noise, strikes: struckUntil(parent.trail, at)}
	target := parent.trail[at]
	k := exactly(parent.trail, at)
	k.option = 1 + s.rng.IntN(target.options-1)
	p.strikes = append(p.strikes, k)
	p.first = len(p.strikes)
	if !s.percent(goesOn) {
		return p
	}
	left := maps.Clone(s.budgets)
	for i := range p.strikes {
		left[p.strikes[i].at[byKind]]--
	}
	victim := uint64(0)
	if s.percent(oneVictim) {
		victim = target.place[byProcess]
	}
	rest := parent.trail[at+1:]
	if mixes(rest) {
		rest = s.someKinds(rest)
	}
	p.strikes = append(p.strikes, s.scatter(rest, victim, left)...)
	return p
}

// rare draws some places of earlier runs at which no fault struck, and returns the
// one that the fewest runs have passed.
func (s *guided) rare() (parent *parent, at int) {
	least := 0
	for range 2 {
		q := s.runs[s.rng.IntN(len(s.runs))]
		for range min(3, len(q.trail)) {
			i := s.rng.IntN(len(q.trail))
			if q.trail[i].option != 0 {
				continue
			}
			if n := s.visits[q.trail[i].site()].runs; parent == nil || n < least {
				parent, at, least = q, i, n
			}
		}
	}
	return parent, at
}

// struckUntil returns the strikes of a run before a place in its trail.
func struckUntil(trail []passing, end int) (strikes []strike) {
	for i := range trail[:end] {
		if trail[i].option != 0 {
			strikes = append(strikes, exactly(trail, i))
		}
	}
	return strikes
}

// exactly returns a strike at one place of a trail and no other.
func exactly(trail []passing, i int) strike {
	k := strike{at: trail[i].place, option: trail[i].option, times: 1}
	for dim := range k.fixed {
		k.fixed[dim] = true
	}
	for j := range trail[:i] {
		if trail[j].place == k.at {
			k.skip++
		}
	}
	return k
}
