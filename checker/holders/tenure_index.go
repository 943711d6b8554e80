package holders

import (
	"cmp"
	"slices"

	"github.com/lockpick-dev/lockpick/checker/internal/spans"
	"github.com/lockpick-dev/lockpick/model"
)

// tenureIndex returns the index, built on first use.
func (hs *Holders) tenureIndex() *tenureIndex {
	x, all := &hs.shares, hs.Tenures()
	if x.made {
		return x
	}
	*x = tenureIndex{made: true, threads: map[thread]*spans.Set{}}
	lists, unknown := map[thread][]spans.Span{}, []spans.Span(nil)
	for i := range all {
		t := &all[i]
		s := spans.Span{From: t.From.Seq, To: spans.Endless, At: i}
		if t.Over != nil {
			s.To = t.Over.Seq
			x.overs = append(x.overs, i)
		}
		switch op := hs.h.Operation(t.Acquisition); {
		case t.Unknown:
			unknown = append(unknown, s)
		case op == nil:
			x.nobodys = append(x.nobodys, i)
		default:
			lists[threadOf(op)] = append(lists[threadOf(op)], s)
		}
	}
	x.acquisitions = newGrouped(len(hs.h.Operations), func(add func(int, int)) {
		for i := range all {
			add(hs.known(all[i].Acquisition), i)
		}
	})
	slices.SortStableFunc(x.overs, func(a, b int) int { return cmp.Compare(all[a].Over.Seq, all[b].Over.Seq) })
	for t, list := range lists { // unordered: each for itself
		x.threads[t] = spans.New(list)
	}
	x.unknown = spans.New(unknown)
	return x
}

// overAt returns the numbers of the tenures that an event ended. list has those that are over, in the order of their ends.
func overAt(all []Tenure, list []int, seq int64) []int {
	n, _ := slices.BinarySearchFunc(list, seq, func(i int, seq int64) int { return cmp.Compare(all[i].Over.Seq, seq) })
	list = list[n:]
	for m, i := range list {
		if all[i].Over.Seq != seq {
			return list[:m]
		}
	}
	return list
}

// tenuresWithin returns the tenures of a key, or of all keys if it is empty, that count as the acquisition's own and
// overlap the time between two events.
func (hs *Holders) tenuresWithin(x *model.Operation, key string, from, to int64) []*Tenure {
	index := hs.tenureIndex()
	found := index.threads[threadOf(x)].Overlapping(nil, from, to)
	found = index.unknown.Overlapping(found, from, to)
	for _, i := range index.nobodys {
		if hs.held[i].Overlaps(from, to) {
			found = append(found, i)
		}
	}
	return hs.ownOf(x, key, found)
}

// ownOf returns the tenures with these numbers that count as the acquisition's own.
func (hs *Holders) ownOf(x *model.Operation, key string, numbers []int) (list []*Tenure) {
	slices.Sort(numbers)
	for _, i := range slices.Compact(numbers) {
		if t := &hs.held[i]; t.OfKey(key) && hs.CountsFor(t, x) {
			list = append(list, t)
		}
	}
	return list
}

// TenuresFor returns the tenures until an event that an acquisition may rely on: its own, and those of earlier
// acquisitions of its thread that were active after its call.
func (hs *Holders) TenuresFor(x *model.Operation, key string, until int64) []*Tenure {
	index := hs.tenureIndex()
	found := append(slices.Clone(index.acquisitions.of(x.ID)), index.nobodys...)
	found = index.threads[threadOf(x)].Overlapping(found, x.Call.Seq, until)
	return hs.ownOf(x, key, index.unknown.Overlapping(found, x.Call.Seq, until))
}

// TenuresOf returns the tenures of an acquisition, by its ID, in the order in which they began.
func (hs *Holders) TenuresOf(acquisition int) []*Tenure {
	return hs.numbered(hs.tenureIndex().acquisitions.of(hs.known(acquisition)))
}

// EndedAt returns the tenures that an event ended.
func (hs *Holders) EndedAt(seq int64) []*Tenure {
	return hs.numbered(overAt(hs.Tenures(), hs.tenureIndex().overs, seq))
}

func (hs *Holders) numbered(numbers []int) []*Tenure {
	list := make([]*Tenure, len(numbers))
	for i, n := range numbers {
		list[i] = &hs.held[n]
	}
	return list
}
