package explore

import "slices"

// stretch is a part of a process's work: one of its tasks; or, without a process, all
// events of one sort.
type stretch struct{ process, task, number uint64 }

func (p *passing) stretch() stretch {
	if p.place[byProcess] == 0 {
		return stretch{task: p.place[byEvent]}
	}
	return stretch{p.place[byProcess], p.place[byTask], p.place[byTaskNumber]}
}

// scatter spends a budget of faults: each fault of a kind in another stretch of the
// work, of the victim if it is not 0, and often only in some of its tasks. It spends
// all of the budget, since more faults cover more combinations of stretches: five cover
// ten triples, so they find a bug that needs three faults ten times as often as three
// do.
func (s *guided) scatter(trail []passing, victim uint64, budgets map[uint64]int) (strikes []strike) {
	kinds := kindsOf(trail)
	apart := len(kinds) > manyKinds && s.percent(ownVictim)
	for _, kind := range kinds {
		if apart && victim != 0 {
			victim = s.victim(trail, kind)
		}
		n := min(max(budgets[kind], 0), mostPlanned)
		if !s.percent(s.odds.dense) {
			n = s.rng.IntN(n + 1)
		}
		strikes = append(strikes, s.scatterKind(trail, kind, victim, n)...)
	}
	return strikes
}

// scatterKind plans n faults of a kind, in as many stretches as possible.
func (s *guided) scatterKind(trail []passing, kind, victim uint64, n int) (strikes []strike) {
	var order []stretch
	places := map[stretch][]*passing{} // the first passing of each
	times := map[place]int{}
	for i := range trail {
		p := &trail[i]
		if p.place[byKind] != kind || victim != 0 && p.place[byProcess] != victim {
			continue
		}
		if times[p.place]++; times[p.place] > 1 {
			continue
		}
		at := p.stretch()
		if places[at] == nil {
			order = append(order, at)
		}
		places[at] = append(places[at], p)
	}
	order = s.someTasks(order)
	option, same := s.rng.IntN(1<<30), s.percent(sameOption)
	for i := 0; i < n && len(order) > 0; i++ {
		if i%len(order) == 0 {
			s.rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		list := places[order[i%len(order)]]
		if !same {
			option = s.rng.IntN(1 << 30)
		}
		p := list[s.rng.IntN(len(list))]
		strikes = append(strikes, s.from(p, option, times[p.place]))
	}
	return strikes
}

// someTasks returns the stretches of a few tasks, or all stretches.
func (s *guided) someTasks(list []stretch) []stretch {
	if len(list) == 0 || !s.percent(fewerTasks) {
		return list
	}
	var tasks []uint64
	for _, at := range list {
		if !slices.Contains(tasks, at.task) {
			tasks = append(tasks, at.task)
		}
	}
	s.rng.Shuffle(len(tasks), func(i, j int) { tasks[i], tasks[j] = tasks[j], tasks[i] })
	tasks = tasks[:1+s.rng.IntN(len(tasks))]
	return slices.DeleteFunc(list, func(at stretch) bool { return !slices.Contains(tasks, at.task) })
}

// from returns a strike in the stretch of a passing, at its step or a later one: at the
// first passing there, or at a random one of the given number.
func (s *guided) from(p *passing, option, times int) strike {
	k := strike{at: p.place, from: true, times: 1, option: 1 + option%(p.options-1)}
	for _, dim := range []int{byKind, byProcess, byTask, byTaskNumber, byStep} {
		k.fixed[dim] = true
	}
	same := s.percent(sameActor)
	k.fixed[byActor], k.fixed[byEvent] = same, same || p.place[byProcess] == 0
	if !s.percent(firstTime) {
		k.skip = s.rng.IntN(times)
	}
	return k
}
