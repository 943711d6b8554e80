package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Attribute finds which deviations of a counterexample are necessary, and which
// remedies prevent it. It runs the counterexample again without each of its
// deviations, and searches the cells that have a remedy.
type Attribute struct {
	Worker Worker
	Cell   json.RawMessage
	// Property is the property that the counterexample violates, and Limit is set if it
	// does so as a limit. A fault counts as prevented if only limits are left; a limit
	// does not while there is a fault.
	Property string
	Limit    bool
	// Strategy and Seed are for the search of remedies.
	Strategy string
	Seed     uint64
	Jobs     int
	// Remedies are the cells to search.
	Remedies []json.RawMessage
	// Budget is the number of schedules for each remedy (default 1000): half of them
	// exhaustive, within the bound that the counterexample needed, the fewest
	// deviations first; and half by the strategy.
	Budget int
	// Time limits the processor time of the runs that each omit one deviation, 0 for no limit. Deviations without
	// enough time left are Untried.
	Time time.Duration
	// Events limits, approximately, the events of all runs (0: no limit): half for
	// the counterexample without each of its deviations, the rest for the remedies.
	// Each remedy gets at least a few schedules.
	Events int64
	// Searched, if not nil, remembers searches of remedies for the next counterexample.
	Searched *Searched
	// OnProgress, if not nil, is called after each run, by the goroutine that
	// attributes, with the number of runs so far and the largest number possible.
	OnProgress func(runs, atMost int)
}

// Attribution is the result of [Attribute.Run].
type Attribution struct {
	// Necessary has, for each deviation of the tape, whether it is needed for the
	// violation.
	Necessary []Necessity
	Remedies  []Remedied
	// Events is the cost of all runs in a budget.
	Events int64
}

// Necessity is a deviation, and whether it was needed.
type Necessity struct {
	Choice sim.Choice
	Needed bool
	// Unsure is set if the run without the deviation did not finish, so that it showed
	// no violation.
	Unsure bool
	// Untried is set if the budget was spent before the run without the deviation.
	Untried bool
}

// Remedied is the result of the search of a remedy's cell.
type Remedied struct {
	// Violated is set if the property is still violated.
	Violated bool
	// Schedules is the number of schedules run. All schedules with at most Bound
	// deviations were run; Bound is -1 if not even the calm one was.
	Schedules int
	Bound     int
	// Trouble is set if the search did not finish.
	Trouble *Trouble
}

// fewest is the smallest number of schedules for a remedy.
const fewest = 20

// Run attributes a counterexample.
func (a Attribute) Run(ctx context.Context, tape []sim.Choice) (*Attribution, error) {
	if a.Budget == 0 {
		a.Budget = 1000
	}
	list := Deviations(tape)
	a.Worker.Meter = a.Worker.Meter.Part()
	w := &attributing{Attribute: a, ctx: ctx, ahead: newAhead(ctx, a.Worker, a.Jobs), out: &Attribution{}}
	defer w.ahead.close()
	w.atMost = CountDeviations(list) + len(a.Remedies)*a.Budget
	if err := w.necessary(list); err != nil {
		return nil, err
	}
	for i, cell := range a.Remedies {
		r, err := w.remedy(cell, list, len(a.Remedies)-i)
		if err != nil {
			return nil, err
		}
		w.out.Remedies = append(w.out.Remedies, r)
	}
	return w.out, nil
}

// attributing is an attribution at work.
type attributing struct {
	Attribute
	ctx          context.Context // of this Run
	ahead        *ahead
	out          *Attribution
	runs, atMost int
}

// necessary runs the counterexample without each of its deviations.
func (w *attributing) necessary(list []sim.Choice) (err error) {
	for _, c := range list {
		if IsDeviation(c) {
			w.out.Necessary = append(w.out.Necessary, Necessity{Choice: c, Untried: true})
		}
	}
	// Each variant has a tape of its own, so it is made only when it is its turn: a long run that could not be
	// shrunk has thousands of deviations, and most are not tried.
	variants := func(yield func(Request) bool) {
		for i, c := range list {
			if IsDeviation(c) && !yield(w.request(w.Cell, without(list, i, i+1))) {
				return
			}
		}
	}
	w.ahead.inOrder(variants, func(n int, r ran) bool {
		w.count(r.events())
		if err = r.err; err != nil {
			return false
		}
		found := &w.out.Necessary[n]
		found.Untried, found.Needed, found.Unsure = false, !shows(r, w.violation()), !r.judged()
		return (w.Events == 0 || w.out.Events < w.Events/2) && !w.Worker.Meter.past(w.Time)
	})
	return err
}

// shows reports whether a run has the violation or, for a limit, the fault of the same
// property.
func shows(r ran, v model.Violation) bool { return r.judged() && v.Shown(r.result.Violated) }

func (w *attributing) request(cell json.RawMessage, list []sim.Choice) Request {
	return Request{Cell: cell, Replay: true, Lenient: true, Tape: list, Sought: w.violation()}
}

// remedy searches a cell for the property, the counterexample's deviations first. The
// remaining remedies, sharing in number, divide the rest of the budget evenly.
func (w *attributing) remedy(cell json.RawMessage, list []sim.Choice, sharing int) (Remedied, error) {
	out := Remedied{Schedules: 1, Bound: -1}
	same := w.ahead.one(w.request(cell, list))
	w.count(same.events())
	if out.Violated = shows(same, w.violation()); same.err != nil || out.Violated {
		return out, same.err
	}
	budget := w.Budget
	if w.Events > 0 {
		left := max(w.Events-w.out.Events, 0) / int64(sharing)
		budget = min(budget, max(fewest, int(left/max(same.events(), 1))))
	}
	usual := slices.DeleteFunc(slices.Clone(list), func(c sim.Choice) bool { return isSize(c.Kind) })
	checked, err := w.check(cell, max(CountDeviations(usual), 1), budget/2)
	out.add(checked)
	if out.Bound = checked.complete; len(usual) < len(list) {
		out.Bound = -1 // the check was of the usual size
	}
	w.out.Events += checked.tally.Events
	if out.settle(&checked.tally, w.violation()) || err != nil {
		return out, err
	}
	searched, err := w.search(cell, budget-budget/2)
	out.add(searched)
	w.out.Events += searched.tally.Events
	out.settle(&searched.tally, w.violation())
	return out, err
}

// check runs all schedules of a remedy's cell within a bound, up to a limit.
func (w *attributing) check(cell json.RawMessage, bound, limit int) (came, error) {
	return w.Searched.once(checkName(cell, bound, limit), w.violation(), func() (came, error) {
		c := Check{Worker: w.Worker, Cell: cell, Bound: bound, Limit: limit, Jobs: w.Jobs, Until: w.violation()}
		c.OnProgress = func(*CheckSummary) { w.progress() }
		s, err := c.Run(w.ctx)
		got := came{tally: s.Tally, complete: s.Complete}
		if s.Unmatched > 0 {
			got.complete = -1 // the reduction does not hold for this code
		}
		return got, err
	})
}

// search runs schedules of the strategy in a remedy's cell.
func (w *attributing) search(cell json.RawMessage, schedules int) (came, error) {
	return w.Searched.once(searchName(cell, w.Strategy, w.Seed, schedules), w.violation(), func() (came, error) {
		c := Search{Worker: w.Worker, Cell: cell, Strategy: w.Strategy, Seed: w.Seed, Schedules: schedules, Jobs: w.Jobs, Until: w.violation()}
		c.OnProgress = func(*Summary) { w.progress() }
		s, err := c.Run(w.ctx)
		return came{tally: s.Tally, complete: -1}, err
	})
}

// count subtracts a run from the budget.
func (w *attributing) count(events int64) {
	w.out.Events += events
	w.progress()
}

func (w *attributing) progress() {
	w.runs++
	if w.OnProgress != nil {
		w.OnProgress(w.runs, projected(w.runs, max(w.runs, w.atMost), w.out.Events, w.Events))
	}
}

func (r *Remedied) add(s came) { r.Schedules += s.tally.Schedules }

// settle notes the result of a search, and reports whether it decides the remedy.
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
