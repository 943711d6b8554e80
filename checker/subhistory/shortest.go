package subhistory

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/lockpick-dev/lockpick/model"
)

// Shortest returns a sub-history of one object's calls that is illegal too and that none of the package's omissions makes
// smaller: first the shortest beginning, then as few calls as possible. The calls keep their IDs and event numbers; one
// that had not returned has an unknown outcome.
//
// illegal must report whether calls are known to be illegal, and must return true for the given calls. It is called at
// most budget times; the smallest illegal calls found by then are returned. A good hint saves most of the calls.
func Shortest(spec model.Spec, calls []model.Call, hint Hint, illegal func([]model.Call) bool, budget int) []model.Call {
	s := &search{spec: spec, hint: hint, illegal: illegal, budget: budget, calls: inOrder(calls)}
	s.shortestBeginning()
	if held(spec.Kind) {
		s.latestStart()
	}
	s.leaveOut(idle(spec, s.calls))
	if held(spec.Kind) && !triesFailed(s.calls) {
		s.leaveOut(holds(s.calls))
	}
	if spec.Kind == model.KindRegister {
		s.leaveOut(unread(s.calls))
	}
	s.dropCrashes()
	return s.calls
}

// inOrder returns the calls in the order in which they were called.
func inOrder(calls []model.Call) []model.Call {
	return slices.SortedStableFunc(slices.Values(calls), func(a, b model.Call) int { return cmp.Compare(a.Call, b.Call) })
}

// Hint is knowledge about a violation. The zero Hint is none.
type Hint struct {
	// At is the first violating event.
	At int64
	// Calls are the IDs of the deciding calls.
	Calls []int
}

// search is the state of Shortest: calls are illegal throughout.
type search struct {
	spec    model.Spec
	hint    Hint
	illegal func([]model.Call) bool
	budget  int
	calls   []model.Call
}

// try makes calls the result if they are illegal.
func (s *search) try(calls []model.Call) bool {
	if s.budget <= 0 || len(calls) == 0 {
		return false
	}
	s.budget--
	if !s.illegal(calls) {
		return false
	}
	s.calls = calls
	return true
}

// shortestBeginning finds the first event that makes the history illegal.
func (s *search) shortestBeginning() {
	whole, events := s.calls, ends(s.spec, s.calls)
	if at, ok := slices.BinarySearch(events, s.hint.At); ok && s.try(beginning(whole, events[at])) {
		return
	}
	sort.Search(len(events), func(i int) bool { return s.try(beginning(whole, events[i])) })
}

// ends returns the events, in their order, at which a beginning may end. It may not end while a call is under way whose
// outcome other calls show: an acquire of a permit, whose id may have been used before it returned; a release that failed,
// which ends all entries of a hold and not one; and a call that gave a lease that has already expired.
func ends(spec model.Spec, calls []model.Call) []int64 {
	var events []int64
	var known []change
	for i := range calls {
		c := &calls[i]
		events = append(events, c.Call)
		if c.Pending() {
			continue
		}
		events = append(events, c.Return)
		from := int64(math.MaxInt64)
		switch {
		case spec.Kind == model.KindPermitSemaphore && c.Op.Acquires(), c.Op.Releases() && c.Outcome == model.Failed:
			from = c.Call
		case c.Until != 0:
			from = max(c.Call, c.Until)
		}
		if from < c.Return {
			known = append(known, change{from, 1}, change{c.Return, -1})
		}
	}
	slices.Sort(events)
	slices.SortFunc(known, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	open := 0
	return slices.DeleteFunc(slices.Compact(events), func(event int64) bool {
		for len(known) > 0 && known[0].at <= event {
			open += known[0].by
			known = known[1:]
		}
		return open > 0
	})
}

// change is the change of the number of calls under way at an event.
type change struct {
	at int64
	by int
}

// beginning returns the calls of the history up to and including the event.
func beginning(calls []model.Call, event int64) []model.Call {
	var part []model.Call
	for _, c := range calls {
		if c.Call > event {
			continue
		}
		if !c.Pending() && c.Return > event {
			c.Outcome, c.Return, c.Refused = model.Unknown, 0, false
			c.Until, c.Value, c.Valued = 0, 0, false
			if c.Queued > event {
				c.Queued = 0
			}
			if c.QueuedFrom > event {
				c.QueuedFrom = event
			}
		}
		part = append(part, c)
	}
	return part
}

// latestStart leaves out everything before the last moment of rest after which the remainder is still illegal.
func (s *search) latestStart() {
	whole, starts := s.calls, rests(s.calls)
	// From the last to the first: the earliest rest would leave out least.
	sort.Search(len(starts), func(i int) bool { return s.try(whole[starts[len(starts)-1-i]:]) })
}

// leaveOut leaves out as many groups of calls as it can: first those without a deciding call, then many at once, then
// single ones.
func (s *search) leaveOut(groups [][]int) {
	decides := func(id int) bool { return slices.Contains(s.hint.Calls, id) }
	var needed, others [][]int
	for _, g := range groups {
		if slices.ContainsFunc(g, decides) {
			needed = append(needed, g)
		} else {
			others = append(others, g)
		}
	}
	if s.try(s.without(others)) {
		groups = needed
	}
	for size := len(groups); size > 0; size /= 2 {
		for from := 0; from < len(groups); {
			to := min(from+size, len(groups))
			if s.try(s.without(groups[from:to])) {
				groups = slices.Delete(groups, from, to)
			} else {
				from = to
			}
		}
	}
}

// without returns the calls whose IDs are in none of the groups.
func (s *search) without(groups [][]int) []model.Call {
	out := make(map[int]bool)
	for _, g := range groups {
		for _, id := range g {
			out[id] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(s.calls), func(c model.Call) bool { return out[c.ID] })
}

// dropCrashes leaves out crashes of clients that did nothing else.
func (s *search) dropCrashes() {
	did := make(map[string]bool)
	for i := range s.calls {
		if s.calls[i].Op != model.Crash {
			did[s.calls[i].Client] = true
		}
	}
	s.try(slices.DeleteFunc(slices.Clone(s.calls), func(c model.Call) bool { return c.Op == model.Crash && !did[c.Client] }))
}
