package checker

import (
	"cmp"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// tenureIndex is made when it is asked for first.
func (j *Judge) tenureIndex() *tenureIndex {
	x, all := &j.shares, j.tenures()
	if x.made {
		return x
	}
	*x = tenureIndex{made: true, threads: map[thread]*spans{}}
	lists, unknown := map[thread][]span{}, []span(nil)
	for i := range all {
		t := &all[i]
		s := span{t.from.Seq, endless, i}
		if t.over != nil {
			s.to = t.over.Seq
			x.overs = append(x.overs, i)
		}
		switch op := j.h.Operation(t.acquisition); {
		case t.unknown:
			unknown = append(unknown, s)
		case op == nil:
			x.nobodys = append(x.nobodys, i)
		default:
			lists[threadOf(op)] = append(lists[threadOf(op)], s)
		}
	}
	x.acquisitions = newGrouped(len(j.h.Operations), func(add func(int, int)) {
		for i := range all {
			add(j.known(all[i].acquisition), i)
		}
	})
	slices.SortStableFunc(x.overs, func(a, b int) int { return cmp.Compare(all[a].over.Seq, all[b].over.Seq) })
	for t, list := range lists { // unordered: each for itself
		x.threads[t] = newSpans(list)
	}
	x.unknown = newSpans(unknown)
	return x
}

// overAt are the numbers of the tenures that an event has ended, of a list of tenures that are over in the order of their ends.
func overAt(all []tenure, list []int, seq int64) []int {
	n, _ := slices.BinarySearchFunc(list, seq, func(i int, seq int64) int { return cmp.Compare(all[i].over.Seq, seq) })
	list = list[n:]
	for m, i := range list {
		if all[i].over.Seq != seq {
			return list[:m]
		}
	}
	return list
}

// tenuresWithin are those tenures that count as the acquisition's own, by the key if it is named, of which each overlaps
// the time from one event to another.
func (j *Judge) tenuresWithin(x *model.Operation, key string, from, to int64) []*tenure {
	index := j.tenureIndex()
	found := index.threads[threadOf(x)].overlapping(nil, from, to)
	found = index.unknown.overlapping(found, from, to)
	for _, i := range index.nobodys {
		if j.held[i].overlaps(from, to) {
			found = append(found, i)
		}
	}
	return j.ownOf(x, key, found)
}

// ownOf are those of the tenures, by their numbers, that count as the acquisition's own.
func (j *Judge) ownOf(x *model.Operation, key string, numbers []int) (list []*tenure) {
	slices.Sort(numbers)
	for _, i := range slices.Compact(numbers) {
		if t := &j.held[i]; t.of(key) && j.ours(t, x) {
			list = append(list, t)
		}
	}
	return list
}

// tenuresFor are the tenures until an event that an acquisition may rely on: its own, and what earlier ones of its thread had
// while it was under way.
func (j *Judge) tenuresFor(x *model.Operation, key string, until int64) []*tenure {
	index := j.tenureIndex()
	found := append(slices.Clone(index.acquisitions.of(x.ID)), index.nobodys...)
	found = index.threads[threadOf(x)].overlapping(found, x.Call.Seq, until)
	return j.ownOf(x, key, index.unknown.overlapping(found, x.Call.Seq, until))
}
