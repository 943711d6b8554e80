package subhistory

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/lockpick-dev/lockpick/model"
)

// Shortest returns a sub-history of the calls of one object that is illegal as
// well, and that none of the package's omissions can make smaller: first the
// shortest beginning, then as few calls as possible. The calls keep their IDs and
// event numbers; one that had not returned has an unknown outcome.
//
// Illegal must report whether calls are known to be illegal, and must return true
// for the given calls. It is called at most budget times; the rest at that point is
// returned. A good hint saves most of the calls.
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

// inOrder are the calls in the order in which they were called.
func inOrder(calls []model.Call) []model.Call {
	return slices.SortedStableFunc(slices.Values(calls), func(a, b model.Call) int { return cmp.Compare(a.Call, b.Call) })
}

// Hint is what is known about a violation. The zero Hint is nothing.
type Hint struct {
	// At is the first violating event.
	At int64
	// Calls are the IDs of the calls that decide it.
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

// ends are the events, in their order, at which a beginning may end. It may not
// where a call is under way that did something which it can only have done with
// its outcome known: an acquire of a permit, whose id somebody may have used
// before it returned; a release that failed, which ends all entries of a hold,
// and not one; and what gave a lease that has run out already.
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

// change is how many calls more are under way from an event on.
type change struct {
	at int64
	by int
}

// beginning is what had happened when the event had.
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

// latestStart leaves out what was over at the last moment of rest after which
// the rest is illegal.
func (s *search) latestStart() {
	whole, starts := s.calls, rests(s.calls)
	// From the last to the first: the earliest rest would leave out least.
	sort.Search(len(starts), func(i int) bool { return s.try(whole[starts[len(starts)-1-i]:]) })
}

// leaveOut leaves out as many of the groups of calls as it can: those without a
// call that decides first, then many at once, then single ones.
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

// without are the calls but for those whose IDs the groups have.
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
