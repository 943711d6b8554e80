package explore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Attribute says what was necessary for a counterexample, and what would have
// helped: it runs the counterexample again without each of its deviations, and
// searches the cells in which something was done about it.
type Attribute struct {
	Worker Worker
	Cell   json.RawMessage
	// Property is what it violates, and Limit set if as a limit. A fault is gone
	// where only limits are left; a limit is not where there is a fault.
	Property string
	Limit    bool
	// Strategy and Seed are for the search of remedies.
	Strategy string
	Seed     uint64
	Jobs     int
	// Remedies are the cells to search.
	Remedies []json.RawMessage
	// Budget is how many schedules the search for one remedy has (default
	// 1000): half of them exhaustive within the bound that the counterexample
	// needed, the fewest deviations first, and half by the strategy.
	Budget int
	// OnProgress, if not nil, is called as runs are made.
	OnProgress func()
}

// Attribution is what came of it.
type Attribution struct {
	// Necessary tells, for each deviation of the tape, whether the property is
	// still violated without it.
	Necessary []Necessity
	Remedies  []Remedied
}

// Necessity is a deviation, and whether it was needed.
type Necessity struct {
	Choice sim.Choice
	Needed bool
	// Unsure is set if the run without it came to no proper end: it did not get
	// to the violation, and more is not known.
	Unsure bool
}

// Remedied is what the search of a remedy's cell came to.
type Remedied struct {
	// Violated is set if the property is still violated.
	Violated bool
	// Schedules is how many were run, and Bound the highest number of
	// deviations that all of them were run with, -1 if there is none.
	Schedules int
	Bound     int
	// Trouble is set if the search came to no proper end.
	Trouble *Trouble
}

// Run attributes a counterexample.
func (a Attribute) Run(ctx context.Context, tape []sim.Choice) (*Attribution, error) {
	if a.Budget == 0 {
		a.Budget = 1000
	}
	out := &Attribution{}
	h := Hand{Worker: a.Worker}
	defer h.Close()
	list := Deviations(tape)
	for i, c := range list {
		if !IsDeviation(c) {
			continue
		}
		violated, ended, err := a.violated(ctx, &h, a.Cell, without(list, i, i+1))
		if err != nil {
			return nil, err
		}
		out.Necessary = append(out.Necessary, Necessity{Choice: c, Needed: !violated, Unsure: !ended})
	}
	for _, cell := range a.Remedies {
		r, err := a.remedy(ctx, &h, cell, list)
		if err != nil {
			return nil, err
		}
		out.Remedies = append(out.Remedies, r)
	}
	return out, nil
}

// violated runs a list of deviations. Ended is set if the run came to its end.
func (a Attribute) violated(ctx context.Context, h *Hand, cell json.RawMessage, list []sim.Choice) (violated, ended bool, err error) {
	err = h.Do(ctx, Request{Cell: cell, Replay: true, Lenient: true, Tape: list}, func(r Result) bool {
		ended = r.Trouble.judged()
		violated = ended && a.violation().Shown(r.Violated)
		return true
	})
	a.progress()
	if trouble := (*Trouble)(nil); errors.As(err, &trouble) {
		return false, false, nil // it does not come to the violation, at any rate
	}
	return violated, ended, err
}

// remedy searches a cell for the property: the same deviations first, then the
// others.
func (a Attribute) remedy(ctx context.Context, h *Hand, cell json.RawMessage, list []sim.Choice) (Remedied, error) {
	out := Remedied{Schedules: 1, Bound: -1}
	violated, _, err := a.violated(ctx, h, cell, list)
	if err != nil || violated {
		out.Violated = violated
		return out, err
	}
	check := Check{
		Worker: a.Worker, Cell: cell, Bound: max(CountDeviations(list), 1), Limit: a.Budget / 2, Jobs: a.Jobs,
		Until: a.violation(), OnProgress: func(*CheckSummary) { a.progress() },
	}
	s, err := check.Run(ctx)
	out.Schedules += s.Schedules
	if out.Bound = s.Complete; s.Unmatched > 0 {
		out.Bound = -1 // the reduction does not hold for this code
	}
	if out.settle(&s.Tally, a.violation()) || err != nil {
		return out, err
	}
	search := Search{
		Worker: a.Worker, Cell: cell, Strategy: a.Strategy, Seed: a.Seed, Schedules: a.Budget - a.Budget/2, Jobs: a.Jobs,
		Until: a.violation(), OnProgress: func(*Summary) { a.progress() },
	}
	sum, err := search.Run(ctx)
	out.Schedules += sum.Schedules
	out.settle(&sum.Tally, a.violation())
	return out, err
}

func (a Attribute) progress() {
	if a.OnProgress != nil {
		a.OnProgress()
	}
}

// settle notes what a search came to, and reports whether that decides.
func (r *Remedied) settle(t *Tally, v model.Violation) bool {
	r.Violated = v.Shown(t.order())
	switch {
	case len(t.Troubles) > 0:
		r.Trouble = &t.Troubles[0]
	case t.Undecided > 0:
		r.Trouble = &Trouble{Kind: Inconclusive, Schedule: t.UndecidedIn, Reason: fmt.Sprintf("%d schedules could not be decided", t.Undecided)}
	}
	return r.Violated || r.Trouble != nil
}
