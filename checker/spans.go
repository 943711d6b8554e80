package checker

import (
	"cmp"
	"math"
	"slices"
)

// span is a stretch of a history, from one event up to another, which is not in it.
type span struct {
	from, to int64
	at       int // of what it is the span
}

// spans finds those of many spans that overlap a stretch, in time proportional to how many they are: it is a binary
// tree over the spans by their beginnings, with the latest end in each part of it.
type spans struct {
	list []span // by their beginnings
	most []int64
}

// endless is the end of a span that lasts.
const endless = int64(math.MaxInt64)

func newSpans(list []span) *spans {
	slices.SortStableFunc(list, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	s := &spans{list: list, most: make([]int64, 4*len(list)+1)}
	if len(list) > 0 {
		s.build(1, 0, len(list))
	}
	return s
}

func (s *spans) build(node, from, to int) int64 {
	if to-from == 1 {
		s.most[node] = s.list[from].to
	} else {
		middle := (from + to) / 2
		s.most[node] = max(s.build(2*node, from, middle), s.build(2*node+1, middle, to))
	}
	return s.most[node]
}

// overlapping appends what those spans are of that begin at an event or before, and end after another one.
func (s *spans) overlapping(found []int, from, to int64) []int {
	if s == nil || len(s.list) == 0 {
		return found
	}
	until, _ := slices.BinarySearchFunc(s.list, to, func(p span, to int64) int {
		if p.from <= to {
			return -1
		}
		return 1
	})
	return s.search(found, 1, 0, len(s.list), until, from)
}

func (s *spans) search(found []int, node, from, to, until int, after int64) []int {
	if from >= until || s.most[node] <= after {
		return found
	}
	if to-from == 1 {
		return append(found, s.list[from].at)
	}
	middle := (from + to) / 2
	found = s.search(found, 2*node, from, middle, until, after)
	return s.search(found, 2*node+1, middle, to, until, after)
}
