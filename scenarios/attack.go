package scenarios

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// attack is a call of Check or Explore at work.
type attack struct {
	settings
	call   traces.Test
	lock   Lock
	worker explore.Worker
	// unsteady are the findings of whose tapes two runs differ, with what is to be
	// said of that.
	unsteady map[*traces.Trace]string
}

// begin sets a call up, or serves it if this process is its worker. It answers
// nil if this process is the worker of another call: then there is nothing to
// do here.
func begin(t *testing.T, newLock NewLock, opts []Option) *attack {
	t.Helper()
	call := thisCall(t)
	s, err := newSettings(opts)
	if err != nil {
		t.Fatalf("lockpick: %v", err)
	}
	a := &attack{settings: s, call: call, unsteady: map[*traces.Trace]string{}, lock: Lock{ID: call.Name, Summary: "the lock of a test", New: newLock, Ownership: s.ownership, Renews: s.renews}}
	if another := serving(call, a.resolve); another {
		return nil
	}
	if a.worker, err = reexecuted(call); err != nil {
		t.Fatalf("lockpick: the test binary cannot be run again: %v", err)
	}
	return a
}

// resolve finds the runner of an encoded cell, in a worker.
func (a *attack) resolve(raw json.RawMessage) (explore.Runner, error) {
	c, err := Decode(raw, []Lock{a.lock})
	c.Properties = a.properties
	return c.Run, err
}

// cell is the lock in a scenario.
func (a *attack) cell(s *Scenario) (Cell, error) {
	c := Cell{Scenario: s, Params: s.Params, Lock: a.lock, Properties: a.properties}
	for _, p := range a.params {
		if err := c.Set(p.name, p.value); err != nil {
			return c, err
		}
	}
	return c, c.Params.Check()
}

// within is the test's context, which ends a while before go test's time-out so
// that there is a word on what was found until then.
func within(t *testing.T) (context.Context, context.CancelFunc) {
	deadline, ok := t.Deadline()
	if !ok {
		return context.WithCancel(t.Context())
	}
	left := time.Until(deadline)
	return context.WithDeadline(t.Context(), deadline.Add(-min(left/10, 5*time.Second)))
}

// jobs is how many workers there are. What is found does not depend on it.
func jobs() int { return min(runtime.GOMAXPROCS(0), 64) }

// search attacks the lock in one scenario. The error is about workers or the
// context, and what was found until then is in the result.
func (a *attack) search(ctx context.Context, s *Scenario) (*Result, error) {
	start := time.Now()
	r := &Result{Scenario: s.ID, Complete: -1}
	defer func() { r.Took = time.Since(start) }()
	cell, err := a.cell(s)
	if err != nil {
		return r, err
	}
	differs, err := a.repeats(ctx, cell)
	if differs != nil {
		r.Result, r.Troubles = string(differs.Kind), []explore.Trouble{*differs}
	}
	if err != nil || differs != nil && differs.Kind != explore.Nondeterministic {
		return r, err
	}
	h := &hunter{attack: a, ctx: ctx, cell: cell, result: r}
	var tally *explore.Tally
	if a.bound == nil {
		sum, searchErr := explore.Search{
			Worker: a.worker, Cell: cell.Encode(), Strategy: explore.PortfolioStrategy, Seed: a.seed, Schedules: a.schedules(s.ID),
			Jobs: jobs(), Impatient: true, Happenings: len(s.Happenings), OnFinding: h.found,
		}.Run(ctx)
		tally, r.Result, err = &sum.Tally, sum.Result(), searchErr
	} else {
		sum, checkErr := explore.Check{
			Worker: a.worker, Cell: cell.Encode(), Bound: *a.bound, Limit: a.limit(),
			Jobs: jobs(), Happenings: len(s.Happenings), OnFinding: h.found,
		}.Run(ctx)
		tally, r.Result, r.Complete, err = &sum.Tally, sum.Result(), sum.Complete, checkErr
	}
	r.count(s, tally)
	if differs != nil && r.Result != explore.Violation {
		r.Result = string(differs.Kind) // the search need not have met it
	}
	return r, errors.Join(err, h.err)
}

// count takes over what a search has counted.
func (r *Result) count(s *Scenario, t *explore.Tally) {
	r.Schedules, r.Events, r.Classes, r.Undecided = t.Schedules, t.Events, len(t.Classes), t.Undecided
	for i, n := range t.Happened {
		r.Happenings = append(r.Happenings, Happened{s.Happenings[i].Name, n})
	}
	for _, trouble := range t.Troubles {
		alike := func(o explore.Trouble) bool { return o.Kind == trouble.Kind && o.Leaked == trouble.Leaked }
		if !slices.ContainsFunc(r.Troubles, alike) {
			r.Troubles = append(r.Troubles, trouble) // the first of each kind says it all
		}
	}
}

// sample is how many schedules are run twice before anything is searched:
// findings always are, and a lock that has none would not be looked at.
const sample = 12

// repeats runs a few schedules twice, in different processes, and says how they
// differ if they do, or that one takes for ever. Other troubles are left to the
// search.
func (a *attack) repeats(ctx context.Context, c Cell) (*explore.Trouble, error) {
	one, two := a.worker, a.worker
	one.Procs, two.Procs = 1, 2
	differ, err := explore.Compare(ctx, one, two, c.Encode(), a.seed, sample)
	var trouble *explore.Trouble
	switch {
	case errors.As(err, &trouble):
		if trouble.Kind == explore.Crashed || len(trouble.Tape) == 0 {
			return nil, nil
		}
		return trouble, nil
	case err != nil || len(differ) == 0:
		return nil, err
	}
	d := differ[0]
	return &explore.Trouble{
		Kind: explore.Nondeterministic, Schedule: d.Schedule, Reason: "two runs of the same tape differ: " + d.What,
		Tape: a.tapeOf(ctx, c, d.Schedule),
	}, nil
}

// tapeOf is the tape of a random schedule, if it comes to an end.
func (a *attack) tapeOf(ctx context.Context, c Cell, schedule int) (tape []sim.Choice) {
	q := explore.Request{Cell: c.Encode(), Seed: a.seed, First: schedule, Count: 1, Record: true}
	_ = a.worker.Do(ctx, q, func(r explore.Result) bool { // without a tape there is no replay, and that is all
		if r.Recording != nil {
			tape = r.Recording.Choices
		}
		return false
	})
	return tape
}

// hunter takes what a search of one scenario finds.
type hunter struct {
	*attack
	ctx    context.Context // of the search
	cell   Cell
	result *Result
	last   *explore.Shrunk // the last finding, shrunk
	of     int             // its schedule
	// allowance is what the search's findings may take to be told.
	allowance *explore.Allowance
	err       error
}

// How many runs it may take at most to make a finding smaller, if its share of
// the allowance does for so many: faults are read more often than limits.
const (
	faultBudget = 1500
	limitBudget = 300
)

// found makes a finding as small as it gets and asks what it needs.
func (h *hunter) found(f explore.Finding) {
	strategy := explore.PortfolioStrategy
	if h.bound != nil {
		strategy = ""
	}
	t := h.cell.Trace(h.seed, f.Schedule, f.Property, f.Outcome)
	t.Strategy, t.Test = strategy, &h.call
	// Whether less of a tape shows it, too, is for something else than the tape to
	// say if its runs differ: such a finding stays as it is.
	if f.Differs == nil {
		t = h.smaller(f, t)
	} else {
		h.unsteady[t] = "it may not come again: " + f.Differs.Reason
	}
	h.result.Findings = append(h.result.Findings, Finding{
		Scenario: h.cell.Scenario.ID, Property: f.Property, Limit: t.Limit, Seed: h.seed, Trace: t,
	})
}

// planned is how many schedules the search has, as far as that is known before.
func (h *hunter) planned() int {
	if h.bound != nil {
		return 0
	}
	return h.schedules(h.cell.Scenario.ID)
}

// smaller is the trace of a finding, made smaller if that can be done.
func (h *hunter) smaller(f explore.Finding, t *traces.Trace) *traces.Trace {
	if h.allowance == nil {
		h.allowance = explore.NewAllowance(f.Outcome.Events, h.planned())
	}
	share := h.allowance.Share(f.Limit)
	small, err := h.shrink(f, share)
	if err != nil {
		if h.ctx.Err() == nil {
			h.err = errors.Join(h.err, fmt.Errorf("the counterexample of %s cannot be made smaller: %w", f.Violation(), err))
		}
		return t
	}
	smaller, err := h.shrunk(t, small, share)
	h.err = errors.Join(h.err, err)
	if err != nil {
		return t
	}
	return smaller
}

// shrink makes a finding smaller, for part of its share. The work on another
// violation of the same schedule serves this one.
func (h *hunter) shrink(f explore.Finding, share int64) (*explore.Shrunk, error) {
	s := explore.Shrink{
		Worker: h.worker, Cell: h.cell.Encode(), Property: f.Property, Limit: f.Limit, Smaller: Smaller,
		Budget: faultBudget, Events: explore.ToShrink(share), Jobs: jobs(),
	}
	if f.Limit || testing.Short() {
		s.Budget = limitBudget
	}
	tape, before := f.Tape, explore.CountDeviations(f.Tape)
	if h.last != nil && h.of == f.Schedule && slices.Contains(h.last.Outcome.Violated(), f.Violation()) {
		s.Cell, tape = h.last.Cell, h.last.Tape
	}
	small, err := s.Run(h.ctx, tape)
	if err != nil {
		return nil, err
	}
	h.allowance.Spend(small.Events)
	small.Before = max(before, small.Deviations)
	h.last, h.of = small, f.Schedule
	return small, nil
}

// shrunk is the trace of a finding that was made smaller, with what it needs,
// for the rest of its share.
func (h *hunter) shrunk(old *traces.Trace, small *explore.Shrunk, share int64) (*traces.Trace, error) {
	cell, err := Decode(small.Cell, []Lock{h.lock})
	if err != nil {
		return nil, err
	}
	cell.Properties = h.properties
	t := cell.Trace(old.Seed, old.Schedule, old.Property, small.Outcome)
	t.Strategy, t.Test = old.Strategy, old.Test
	t.Shrunk = &traces.Shrunk{Parameters: h.cell.Params.List(), From: small.Before, To: small.Deviations, Runs: small.Runs, Exhausted: small.Exhausted}
	t.Attribution, err = cell.Attribute(h.ctx, AttributeOptions{
		Worker: h.worker, NoRemedies: true, Property: t.Property, Tape: small.Tape, Outcome: small.Outcome, Seed: t.Seed, Jobs: jobs(),
		Events: max(share-small.Events, 1), OnSpent: h.allowance.Spend,
	})
	if h.ctx.Err() != nil {
		err = nil // no attribution then, and the finding stands
	}
	return t, err
}
