package monitor

import (
	"slices"
	"sort"
)

// slots are effects that must have taken place by some event but are not attributed to a call yet. Each is filled by a
// call that was under way then: called no later than that event, and not yet returned. Calls are used in the order of
// their returns, since the first has the least time left. So slots are filled as calls return, and only the number of
// remaining calls must suffice for the free slots (Hall, "On representatives of subsets", 1935: the intervals in which
// slots can be filled are nested, so that only their beginnings count).
//
// A call takes the slot with the earliest event of those that it can fill: a call that can fill that slot can fill the
// others too.
type slots struct {
	free  []int64 // events, ascending
	calls []int64 // of the calls that may fill them, ascending
}

// called adds a call that may fill slots. Calls come in their order.
func (s *slots) called(at int64) { s.calls = append(s.calls, at) }

// left removes a call that returned.
func (s *slots) left(at int64) {
	i := sort.Search(len(s.calls), func(i int) bool { return s.calls[i] >= at })
	s.calls = slices.Delete(s.calls, i, i+1)
}

// open adds n slots at an event that is not earlier than any other.
func (s *slots) open(n int, at int64) {
	for range n {
		s.free = append(s.free, at)
	}
}

// fill fills a slot with a call that was called at the event, and reports whether it could.
func (s *slots) fill(called int64) bool {
	i := sort.Search(len(s.free), func(i int) bool { return s.free[i] >= called })
	if i == len(s.free) {
		return false
	}
	s.free = slices.Delete(s.free, i, i+1)
	return true
}

// enough reports whether the calls under way suffice for the free slots.
func (s *slots) enough() bool {
	for i, at := range s.free {
		if i >= len(s.calls) || s.calls[i] > at {
			return false
		}
	}
	return true
}
