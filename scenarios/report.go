package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/scenarios/internal/causes"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// Report is what an [Explore] found.
type Report struct {
	// Findings are the first fault and the first limit of each property in each
	// scenario, in the order of the scenarios.
	Findings []Finding
	// Results has one entry for each scenario that was searched.
	Results []Result
	// Warnings are what no schedule can show of the lock: see [Warnings].
	Warnings []string
}

// Finding is a violation of a property.
type Finding struct {
	Scenario, Property string
	// Limit is set if the counterexample itself shows that no lease could have
	// prevented the violation: it is no fault of the lock. The same property may
	// be found as a fault besides. The trace's verdict names the cause.
	Limit bool
	// Seed is that of the search.
	Seed uint64
	// Trace is the counterexample, made as small as it gets.
	Trace *traces.Trace
}

// Result is what the search of one scenario came to.
type Result struct {
	Scenario string
	// Result is it in one word: violation, none-found, exhausted, inconclusive,
	// vacuous, stalled, nondeterministic or crashed; see package explore. It is
	// NotApplicable where no fault of the scenario can strike the lock's store.
	Result string
	// Lacks says why the scenario does not apply, empty if it does.
	Lacks string
	// Schedules is how many were run, Events how many events they had and
	// Classes how many different stories they told.
	Schedules int
	Events    int64
	Classes   int
	// Complete is the highest bound that was searched whole, -1 if none was.
	Complete int
	// Happenings are what the scenario is about.
	Happenings []Happened
	// Undecided is in how many schedules something could not be decided.
	Undecided int
	Findings  []Finding
	// Troubles are runs that came to no proper end.
	Troubles []explore.Trouble
	// Took is real time, and no part of what is repeatable.
	Took time.Duration

	// told are the counterexamples that Check tells of.
	told []*causes.Failure
}

// NotApplicable is the result of a scenario that was not searched, because nothing
// that it is about can happen.
const NotApplicable = "not-applicable"

// Happened is something that may come about in a run, and in how many it did.
type Happened struct {
	Name      string
	Schedules int
}

// String says the result in a sentence.
func (r *Result) String() string {
	if r.Result == NotApplicable {
		return r.Scenario + ": does not apply: " + r.Lacks
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s", r.Scenario, r.Result, wording.Count(r.Schedules, "schedule"))
	if r.Result == explore.Exhausted {
		fmt.Fprintf(&b, ", all within bound %d", r.Complete)
	}
	fmt.Fprintf(&b, ", %s of outcomes", wording.Count(r.Classes, "class"))
	for _, h := range r.Happenings {
		fmt.Fprintf(&b, "; in %d of them %s", h.Schedules, h.Name)
	}
	if r.Undecided > 0 {
		fmt.Fprintf(&b, "; %d could not be decided", r.Undecided)
	}
	fmt.Fprintf(&b, " (%.1fs)", r.Took.Seconds())
	return b.String()
}

// vacuity says what has not happened, empty if everything has.
func (r *Result) vacuity() string {
	i := slices.IndexFunc(r.Happenings, func(h Happened) bool { return h.Schedules == 0 })
	if r.Result != explore.Vacuous || i < 0 {
		return ""
	}
	return fmt.Sprintf("vacuous: in none of %s it happened that %s, so this says nothing about the lock; run more (-simrun.runs)",
		wording.Count(r.Schedules, "schedule"), r.Happenings[i].Name)
}
