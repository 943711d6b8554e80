package report

import (
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// Report is the content of a page.
type Report struct {
	// Title names the subject, such as a directory or a test.
	Title string
	// Versions are those of the program that writes the page.
	Versions string
	// Searches are the searches, and Findings their findings, in any order.
	Searches []Search
	Findings []Finding
	// NotSearched are flaws that no schedule of a lock's searches can show.
	NotSearched []Unsearched
	// Notes are further remarks, such as on files that could not be read.
	Notes []string
}

// Unsearched is a flaw that no schedule of a lock's searches can show: "what: why", as in cell.NotSearched.
type Unsearched struct{ Lock, What string }

// Search is one search of a lock in a scenario.
type Search struct {
	Lock, Scenario string
	// Settings are the parameters that are not the scenario's own.
	Settings []traces.Parameter
	// How is the strategy and the seed, or the bound, in words.
	How    string
	Result Result
	// Meaning explains the result: a sentence without its point, or nothing.
	Meaning string
	// Schedules is the number of schedules that were run, and Budget the requested number, 0 if the budget was not a number.
	Schedules, Budget int
	// Happened counts the schedules in which each happening occurred: a search in which one
	// did not is vacuous.
	Happened []Happening
	// Violated counts the schedules with each violation.
	Violated []Violated
	// Undecided is the number of schedules in which a property could not be decided.
	Undecided int
	// Troubles are runs that did not finish, each in a sentence.
	Troubles []string
	// Again is the command that repeats the search, if there is one.
	Again string
}

// Happening counts the schedules in which a happening of the scenario occurred.
type Happening struct {
	Name      string
	Schedules int
}

// Violated counts the schedules with a violation, 0 if only a kept case showed it.
type Violated struct {
	model.Violation
	Schedules int
}

// Finding is a counterexample.
type Finding struct {
	Trace *traces.Trace
	// File is the path of the trace, and Page that of its picture with a lens, both as links on the page; empty if there is
	// none.
	File, Page string
	// Replay is the command that replays it.
	Replay string
	// Note is a remark.
	Note string
}

// Result is the result of a search: a result of package explore, the kind of a run that did not
// finish, or why nothing was searched.
type Result string

// The results of scenarios that were not searched.
const (
	// NotApplicable: no fault of the scenario can strike the lock's store.
	NotApplicable Result = "not-applicable"
	// NotSearched: the search has not begun.
	NotSearched Result = "not searched"
	// KeptFails: a kept counterexample was tried first, and still fails.
	KeptFails Result = "a kept case fails"
)

// Vacuous reports whether a happening did not occur in any schedule that was run.
func (s *Search) Vacuous() bool { return len(s.missed()) > 0 }

// missed returns the happenings that never occurred.
func (s *Search) missed() (names []string) {
	for _, h := range s.Happened {
		if h.Schedules == 0 && s.Schedules > 0 {
			names = append(names, h.Name)
		}
	}
	return names
}

// standing is the result of a search in the table.
type standing struct{ ID, Mark, Says string }

// The standings, the worst first: the indexes in standings.
const (
	fault = iota
	trouble
	limit
	vacuousAt
	undecided
	noneFound
	notApplicable
)

var standings = [...]standing{
	fault:         {"fault", "✗", "found: a fault of the lock"},
	trouble:       {"trouble", "!", "runs did not finish"},
	limit:         {"limit", "◐", "found: limits of leases, which no lease could have prevented"},
	vacuousAt:     {"vacuous", "○", "vacuous: what the scenario is about never happened"},
	undecided:     {"undecided", "?", "not decided, or not finished"},
	noneFound:     {"none-found", "✓", "nothing found"},
	notApplicable: {"not-applicable", "–", "does not apply"},
}

// standing returns the search's result, as an index in standings.
func (s *Search) standing() int {
	found := s.found()
	switch {
	case s.Result == NotApplicable:
		return notApplicable
	case found[faultRank]:
		return fault
	case found[unfinishedRank]:
		return trouble
	case found[limitRank]:
		return limit
	case s.Vacuous():
		return vacuousAt
	case s.Result != explore.NoneFound && s.Result != explore.Exhausted:
		return undecided
	}
	return noneFound
}

// found reports, by the ranks of causes, what the search found. A violation without a description counts as a fault.
func (s *Search) found() (ranks [3]bool) {
	ranks[unfinishedRank] = len(s.Troubles) > 0
	ranks[faultRank] = s.Result == explore.Violation && len(s.Violated) == 0
	for _, v := range s.Violated {
		if v.Limit {
			ranks[limitRank] = true
		} else {
			ranks[faultRank] = true
		}
	}
	return ranks
}
