package explore

import (
	"cmp"
	"encoding/json"
	"iter"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// calmKinds makes all choices of a kind calm, for kinds whose single choices hardly
// matter.
func (w *shrinking) calmKinds() bool {
	groups := [][]sim.Kind{{sim.Latency, sim.Seed, sim.Order, sim.Select, sim.Wake}, {sim.Latency, sim.Seed, sim.Select, sim.Wake}, {sim.Latency}, {sim.Seed}, {sim.Order}, {sim.Select}, {sim.Wake}}
	return w.sweep(0, func(at int) iter.Seq[candidate] {
		return func(yield func(candidate) bool) {
			for i := at; i < len(groups); i++ {
				rest := slices.DeleteFunc(slices.Clone(w.list), func(c sim.Choice) bool { return slices.Contains(groups[i], c.Kind) })
				if len(rest) < len(w.list) && !yield(candidate{w.cell, rest, i + 1}) {
					return
				}
			}
		}
	})
}

// withoutFaults tries leaving out each fault, the last one first.
func (w *shrinking) withoutFaults() bool {
	return w.sweep(len(w.list)-1, func(at int) iter.Seq[candidate] {
		return func(yield func(candidate) bool) {
			for i := min(at, len(w.list)-1); i >= 0; i-- {
				if isFault(w.list[i].Kind) && !yield(candidate{w.cell, without(w.list, i, i+1), i - 1}) {
					return
				}
			}
		}
	})
}

// ends tries leaving out the last choices, and then the first ones: a few runs remove everything that
// follows the violation, however long it is.
func (w *shrinking) ends() bool {
	const parts = 4 // a half, a quarter, and so on
	return w.sweep(0, func(at int) iter.Seq[candidate] {
		return func(yield func(candidate) bool) {
			for i := at; i < 2*parts; i++ {
				n := len(w.list) >> (i%parts + 1)
				from, to := len(w.list)-n, len(w.list)
				if i >= parts {
					from, to = 0, n
				}
				if n > 0 && !yield(candidate{w.cell, without(w.list, from, to), i}) {
					return
				}
			}
		}
	})
}

// slight tries leaving out latencies and orders, which hardly matter by themselves, and keeps the faults: a
// large part of all choices nearly always has one of the faults that are needed. It first leaves out the
// latencies below a threshold and those of one actor, then ever smaller parts. If there are few,
// [shrinking.ddmin] alone leaves as few.
func (w *shrinking) slight() bool {
	const many = 16
	slight := func(c sim.Choice) bool {
		return slices.Contains([]sim.Kind{sim.Latency, sim.Order, sim.Seed, sim.Select, sim.Wake}, c.Kind)
	}
	if len(slices.DeleteFunc(slices.Clone(w.list), func(c sim.Choice) bool { return !slight(c) })) < many {
		return false
	}
	var leaveOut []func(sim.Choice) bool
	for _, least := range []int{sim.JitterSteps * 3 / 4, sim.JitterSteps / 2, sim.JitterSteps / 4} {
		leaveOut = append(leaveOut, func(c sim.Choice) bool { return c.Kind == sim.Latency && c.Option < least })
	}
	var actors []string
	for _, c := range w.list {
		if c.Kind == sim.Latency && !slices.Contains(actors, c.Actor) {
			actors = append(actors, c.Actor)
			leaveOut = append(leaveOut, func(o sim.Choice) bool { return o.Kind == sim.Latency && o.Actor == c.Actor })
		}
	}
	better := w.sweep(0, func(at int) iter.Seq[candidate] {
		return func(yield func(candidate) bool) {
			for i := at; i < len(leaveOut); i++ {
				rest := slices.DeleteFunc(slices.Clone(w.list), leaveOut[i])
				if len(rest) < len(w.list) && !yield(candidate{w.cell, rest, i + 1}) {
					return
				}
			}
		}
	})
	return w.smaller(slight) || better
}

// smaller tries leaving out ever smaller parts of the choices of some kinds.
func (w *shrinking) smaller(of func(sim.Choice) bool) (better bool) {
	places := func() (list []int) {
		for i, c := range w.list {
			if of(c) {
				list = append(list, i)
			}
		}
		return list
	}
	for size := max(len(places())/2, 1); len(places()) > 0; size = max(size/2, 1) {
		removed := w.sweep(0, func(at int) iter.Seq[candidate] {
			return func(yield func(candidate) bool) {
				all := places()
				for from := at; from < len(all); from += size { // if a candidate is kept, the choices after it move to this position
					part := all[from:min(from+size, len(all))]
					var rest []sim.Choice
					for i, c := range w.list {
						if !slices.Contains(part, i) {
							rest = append(rest, c)
						}
					}
					if !yield(candidate{w.cell, rest, from}) {
						return
					}
				}
			}
		})
		better = better || removed
		if w.over() || size == 1 && !removed {
			return better
		}
	}
	return better
}

// ddmin tries leaving out ever smaller parts of all choices.
func (w *shrinking) ddmin() (better bool) {
	return w.smaller(func(sim.Choice) bool { return true })
}

// pairs tries leaving out two choices at once, if there are few: such as a fault, and a
// choice that compensates for it.
func (w *shrinking) pairs() bool {
	const few = 16
	if len(w.list) > few {
		return false
	}
	return w.sweep(0, func(at int) iter.Seq[candidate] {
		return func(yield func(candidate) bool) {
			for n := at; n < len(w.list)*len(w.list); n++ {
				i, j := n/len(w.list), n%len(w.list)
				if i < j && !yield(candidate{w.cell, without(without(w.list, j, j+1), i, i+1), n}) {
					return
				}
			}
		}
	})
}

// calmerOptions tries the options of each choice that are nearer to calm.
func (w *shrinking) calmerOptions() bool {
	const each = 3
	return w.sweep(0, func(at int) iter.Seq[candidate] {
		return func(yield func(candidate) bool) {
			for n := at; n < each*len(w.list); n++ {
				now := w.list[n/each].Option
				option := [each]int{1, 2, now / 2}[n%each]
				if option < 1 || option >= now {
					continue
				}
				list := slices.Clone(w.list)
				list[n/each].Option = option
				if !yield(candidate{w.cell, list, n + 1}) {
					return
				}
			}
		}
	})
}

// single looks for a counterexample with a single fault among all schedules with one deviation,
// once for each cell and for half of the budget, before later steps look for one with several
// deviations. If the present cell has become so small that a violation may take several, it also
// looks in the original cell.
func (w *shrinking) single() bool {
	n := CountDeviations(w.list)
	if n < 2 || string(w.cell) == string(w.alone) {
		return false
	}
	w.alone = w.cell
	most := w.part(2)
	return w.oneMore(w.cell, nil, isFault, most) || n > 2 && string(w.cell) != string(w.Cell) && w.oneMore(w.Cell, nil, isFault, most)
}

// fewer looks for a counterexample with fewer deviations among the schedules
// with two, or three, that share all but one with the present counterexample.
func (w *shrinking) fewer() bool {
	list := slices.DeleteFunc(slices.Clone(w.list), func(c sim.Choice) bool { return !IsDeviation(c) })
	if len(list) > 2 {
		for i := range list {
			if w.oneMore(w.cell, list[i:i+1], varies, w.Shrink) {
				return true
			}
		}
	}
	if len(list) > 3 {
		for i := range list {
			for j := range i {
				if w.oneMore(w.cell, []sim.Choice{list[j], list[i]}, varies, w.Shrink) {
					return true
				}
			}
		}
	}
	return false
}

// oneMore tries the deviations of base with one more of the given kinds, at any place, until the
// point most: first those that the present counterexample has elsewhere, such as a delay of the same
// length.
func (w *shrinking) oneMore(cell json.RawMessage, base []sim.Choice, kinds func(sim.Kind) bool, most Shrink) bool {
	if w.over() {
		return false
	}
	q := w.request(candidate{cell: cell, list: base})
	q.Sought = model.Violation{} // its tape has the places
	r := w.ahead.one(q)
	w.count(r)
	if !r.judged() {
		return false
	}
	var more []sim.Choice
	for _, c := range r.result.Tape {
		if !kinds(c.Kind) || c.Option != 0 {
			continue
		}
		for option := leastDeviation(&sim.Decision{Kind: c.Kind, Options: c.Options}); option < c.Options; option++ {
			c.Option = option
			more = append(more, c)
		}
	}
	rank := func(c sim.Choice) int {
		if slices.ContainsFunc(w.list, func(o sim.Choice) bool { return o.Kind == c.Kind && o.Option == c.Option }) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(more, func(a, b sim.Choice) int { return cmp.Compare(rank(a), rank(b)) })
	_, found := w.first(most, func(yield func(candidate) bool) {
		for _, c := range more {
			if !yield(candidate{cell: cell, list: append(slices.Clone(base), c)}) {
				return
			}
		}
	})
	return found
}
