package locktest

import (
	"fmt"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/internal/report"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// Report is the result of an [Explore].
type Report struct {
	// Findings are the first fault and the first limit of each property in each scenario,
	// in the order of the scenarios.
	Findings []Finding
	// Results has one entry per searched scenario.
	Results []Result
	// NotSearched are flaws that the lock may have and no schedule can show: see
	// [cell.NotSearched].
	NotSearched []string
}

// Finding is a violation of a property.
type Finding struct {
	Scenario, Property string
	// Limit is set if the counterexample itself shows that no lease could have prevented the violation, so that it is no fault
	// of the lock. The trace's verdict names the cause. The same property may also be found as a fault.
	Limit bool
	// Seed is the seed of the search.
	Seed uint64
	// Trace is the counterexample, shrunk as far as possible.
	Trace *traces.Trace
}

// Result is the result of the search of one scenario.
type Result struct {
	Scenario string
	// Result is one word: violation, none-found, exhausted, inconclusive, vacuous, stalled,
	// nondeterministic, crashed or refused; see package explore. It is NotApplicable if no fault of
	// the scenario can strike the lock's store.
	Result string
	// Lacks is why the scenario does not apply, empty if it does.
	Lacks string
	// Schedules is the number of runs, Events the number of their events, and Classes the number of distinct orders of
	// observable events.
	Schedules int
	Events    int64
	Classes   int
	// Complete is the highest bound that was searched completely, -1 if none was.
	Complete int
	// Happenings counts the scenario's happenings.
	Happenings []Happened
	// Cut is set if the time of the call ([ShortTime]), or of go test, ended the search before its last schedule.
	Cut bool
	// Undecided is the number of schedules in which a property could not be decided.
	Undecided int
	// Panicked has, by their ids, the test's own properties ([Judge]) whose Verdict function panicked, with the sentence about
	// the first panic.
	Panicked map[string]string
	Findings []Finding
	// Troubles are the runs that did not finish, one of each kind.
	Troubles []explore.Trouble
	// Took is real time; it differs from run to run.
	Took time.Duration

	noun string // lock, or program
	// absent are the parts that no shard has kept, in a merge.
	absent []int
	// failures are what Check reports.
	failures []*causes.Failure
	// somewhere reports for each happening whether it need not occur in this scenario.
	somewhere []bool
	// violated counts the schedules with each violation.
	violated []report.Violated
}

// NotApplicable is the result of a scenario that was not searched because none of its
// faults can strike.
const NotApplicable = "not-applicable"

// Happened counts the schedules in which a happening occurred.
type Happened struct {
	Name      string
	Schedules int
}

// String returns the result as a sentence.
func (r *Result) String() string {
	if r.Result == NotApplicable {
		return r.Scenario + ": does not apply: " + r.Lacks
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s", r.Scenario, r.Result, wording.Count(r.Schedules, "schedule"))
	if r.Result == explore.Exhausted {
		fmt.Fprintf(&b, ", all within bound %d", r.Complete)
	}
	if r.Cut {
		b.WriteString(", then the time ended")
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

// vacuity describes the happening that did not occur, "" if the result is not vacuous.
func (r *Result) vacuity() string {
	i := r.missing()
	if r.Result != explore.Vacuous || i < 0 {
		return ""
	}
	return fmt.Sprintf("vacuous: in none of %s it happened that %s, so this says nothing about the %s: %s",
		wording.Count(r.Schedules, "schedule"), r.Happenings[i].Name, r.noun, hunt.Vacuous(r.noun, r.Schedules, "run more (-simrun.runs)"))
}

// missing returns the index of the first happening that this scenario needs and that did not occur, -1 if there is none.
func (r *Result) missing() int {
	for i, h := range r.Happenings {
		if h.Schedules == 0 && !r.somewhere[i] {
			return i
		}
	}
	return -1
}
