package explore

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// The results of a search, besides those that are kinds of [Trouble].
const (
	Violation = "violation"  // some property was violated
	NoneFound = "none-found" // none was, in the schedules that were run
	// Vacuous: none was, but something that the search is about never
	// happened, so that this says nothing.
	Vacuous = "vacuous"
)

// Search is a random search: schedules 0 to Schedules-1 of a seed.
type Search struct {
	Worker    Worker
	Cell      json.RawMessage
	Seed      uint64
	Schedules int
	// FailFast ends the search with the first finding.
	FailFast bool
	// Happenings is how many things must each happen at least once; bit i of
	// a result's Happened stands for the i-th.
	Happenings int

	// OnFinding is called for the first violation of each property, and
	// OnProgress after every schedule, both from the goroutine that searches.
	OnFinding  func(Finding)
	OnProgress func(*Summary)
}

// Finding is the first violation of a property.
type Finding struct {
	Property string
	Schedule int
	Outcome  Outcome
}

// Summary is what a search came to, or has come to so far.
type Summary struct {
	// Schedules is how many were run.
	Schedules int
	Events    int64
	Simulated time.Duration
	// Happened counts, for each thing that must happen, the schedules in
	// which it did.
	Happened []int
	// Violations counts the schedules that violated each property, and First
	// names the first of them.
	Violations map[string]int
	First      map[string]int
	// Undecided is in how many schedules some property could not be decided,
	// and FirstUndecided the first of these verdicts, of the schedule
	// UndecidedIn.
	Undecided      int
	FirstUndecided *model.Verdict
	UndecidedIn    int
	// Troubles are the runs that came to no proper end, as many as were put
	// up with.
	Troubles []Trouble
	// Interrupted is set if the search was ended from outside.
	Interrupted bool
}

// Result is the search's result in one word. A violation outranks everything;
// trouble outranks what is merely missing.
func (s *Summary) Result() string {
	if len(s.Violations) > 0 {
		return Violation
	}
	for _, kind := range []TroubleKind{Nondeterministic, Crashed, Stalled} {
		if slices.ContainsFunc(s.Troubles, func(t Trouble) bool { return t.Kind == kind }) {
			return string(kind)
		}
	}
	switch {
	case len(s.Troubles) > 0 || s.Undecided > 0 || s.Interrupted:
		return string(Inconclusive)
	case slices.Contains(s.Happened, 0):
		return Vacuous
	}
	return NoneFound
}

// maxTroubles is how many troubles a search puts up with before it ends.
const maxTroubles = 3

// Run searches. Its error is about the worker as such, or about the context;
// everything that a run can come to, a dead worker too, is in the summary,
// which covers what was done even if there is an error.
func (s Search) Run(ctx context.Context) (*Summary, error) {
	sum := &Summary{Happened: make([]int, s.Happenings), Violations: map[string]int{}, First: map[string]int{}}
	next, seen := 0, []string(nil)
	for next < s.Schedules && len(sum.Troubles) < maxTroubles {
		stop := false
		err := s.Worker.Do(ctx, Request{Cell: s.Cell, Seed: s.Seed, First: next, Count: s.Schedules - next, Seen: seen}, func(r Result) bool {
			next = r.Schedule + 1
			seen = append(seen, r.New...)
			s.add(sum, r)
			stop = s.FailFast && len(sum.Violations) > 0
			return !stop && len(sum.Troubles) < maxTroubles
		})
		var trouble *Trouble
		switch {
		case ctx.Err() != nil:
			sum.Interrupted = true
			return sum, ctx.Err()
		case errors.As(err, &trouble):
			// The schedule that killed it is the one after the last answer.
			trouble.Schedule = next
			sum.Troubles = append(sum.Troubles, *trouble)
			next++
		case err != nil:
			return sum, err
		case stop:
			return sum, nil
		}
	}
	return sum, nil
}

// add counts one result.
func (s Search) add(sum *Summary, r Result) {
	sum.Schedules++
	sum.Events += r.Events
	sum.Simulated += time.Duration(r.Simulated)
	for i := range sum.Happened {
		if r.Happened>>i&1 == 1 {
			sum.Happened[i]++
		}
	}
	if r.Trouble != nil {
		sum.Troubles = append(sum.Troubles, *r.Trouble)
	} else {
		for _, p := range r.Violated {
			if sum.Violations[p] == 0 {
				sum.First[p] = r.Schedule
			}
			sum.Violations[p]++
		}
		if len(r.Undecided) > 0 {
			if sum.Undecided == 0 {
				sum.FirstUndecided, sum.UndecidedIn = &r.Undecided[0], r.Schedule
			}
			sum.Undecided++
		}
	}
	for _, p := range r.New {
		if s.OnFinding != nil {
			s.OnFinding(Finding{Property: p, Schedule: r.Schedule, Outcome: r.Outcome()})
		}
	}
	if s.OnProgress != nil {
		s.OnProgress(sum)
	}
}
