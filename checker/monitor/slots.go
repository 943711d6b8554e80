package monitor

import (
	"slices"
	"sort"
)

// slots are effects that must have taken place by some event although it is not
// known yet whose they were. Each is filled by a call that was under way then:
// called no later than that event, and not yet returned. The call that returns
// first is to be used first, because it has the least time left; so slots are
// filled as calls return, and it suffices to know that enough calls are left for
// those that are free (Hall, "On representatives of subsets", 1935: the intervals
// in which slots can be filled are nested, so that only their beginnings count).
//
// Of the slots that a call can fill it takes the one with the earliest event: a
// call that can fill that one can fill the others too.
type slots struct {
	free  []int64 // events, ascending
	calls []int64 // of the calls that may fill them, ascending
}

// called adds a call that may fill slots. Calls come in their order.
func (s *slots) called(at int64) { s.calls = append(s.calls, at) }

// left takes away a call that returned.
func (s *slots) left(at int64) {
	i := sort.Search(len(s.calls), func(i int) bool { return s.calls[i] >= at })
	s.calls = slices.Delete(s.calls, i, i+1)
}

// open adds n slots at an event that is no earlier than all others.
func (s *slots) open(n int, at int64) {
	for range n {
		s.free = append(s.free, at)
	}
}

// fill fills a slot with a call that was called then, and reports whether it
// could.
func (s *slots) fill(called int64) bool {
	i := sort.Search(len(s.free), func(i int) bool { return s.free[i] >= called })
	if i == len(s.free) {
		return false
	}
	s.free = slices.Delete(s.free, i, i+1)
	return true
}

// enough reports whether the calls under way can fill what is free.
func (s *slots) enough() bool {
	for i, at := range s.free {
		if i >= len(s.calls) || s.calls[i] > at {
			return false
		}
	}
	return true
}
