// Package spans finds the stretches of a history that overlap another one.
package spans

import (
	"cmp"
	"math"
	"slices"
)

// Span is a stretch of a history, from one event up to but not including another.
type Span struct {
	From, To int64
	At       int // the number of the thing that the span belongs to
}

// Set finds the spans that overlap a stretch. It is a binary tree of the spans by their beginnings, with the latest end in
// each subtree.
type Set struct {
	list []Span // by their beginnings
	most []int64
}

// Endless is the end of a span that does not end.
const Endless = int64(math.MaxInt64)

// New returns the set of the spans of a list, which it sorts.
func New(list []Span) *Set {
	slices.SortStableFunc(list, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	s := &Set{list: list, most: make([]int64, 4*len(list)+1)}
	if len(list) > 0 {
		s.build(1, 0, len(list))
	}
	return s
}

func (s *Set) build(node, from, to int) int64 {
	if to-from == 1 {
		s.most[node] = s.list[from].To
	} else {
		middle := (from + to) / 2
		s.most[node] = max(s.build(2*node, from, middle), s.build(2*node+1, middle, to))
	}
	return s.most[node]
}

// Overlapping appends the numbers (At) of the spans that begin at or before the event to and end after the event from.
func (s *Set) Overlapping(found []int, from, to int64) []int {
	if s == nil || len(s.list) == 0 {
		return found
	}
	until, _ := slices.BinarySearchFunc(s.list, to, func(p Span, to int64) int {
		if p.From <= to {
			return -1
		}
		return 1
	})
	return s.search(found, 1, 0, len(s.list), until, from)
}

func (s *Set) search(found []int, node, from, to, until int, after int64) []int {
	if from >= until || s.most[node] <= after {
		return found
	}
	if to-from == 1 {
		return append(found, s.list[from].At)
	}
	middle := (from + to) / 2
	found = s.search(found, 2*node, from, middle, until, after)
	return s.search(found, 2*node+1, middle, to, until, after)
}
