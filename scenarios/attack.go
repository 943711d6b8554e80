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

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/internal/report"
	"github.com/lockpick-dev/lockpick/scenarios/internal/testbinary"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// WorkerVariable is the environment variable SIMRUN_WORKER, which is set in worker
// processes of [Check] and [Explore]. Tests may skip set-up that workers do not need.
const WorkerVariable = testbinary.WorkerVariable

// attack is a running call of Check or Explore.
type attack struct {
	settings
	call   traces.Test
	lock   Lock
	worker explore.Worker
	// unsteady are the findings whose tapes gave different runs, each with a note for the
	// report.
	unsteady map[*traces.Trace]string
	// findings are what Check has found so far, nil in Explore.
	findings *causes.Findings
	// problems are the errors of the test that are no findings, and vacuous the searches that
	// say nothing.
	problems, vacuous []string
	// searches are what the report of Check says of each scenario.
	searches []report.Search
}

// begin sets up a call, or serves it if this process is its worker. It returns nil in a
// worker of another call, which has nothing to do here.
func begin(t *testing.T, newLock NewLock, opts []Option) *attack {
	t.Helper()
	call := testbinary.ThisCall(t)
	s, err := newSettings(opts)
	if err != nil {
		t.Fatalf("lockpick: %v", err)
	}
	a := &attack{settings: s, call: call, unsteady: map[*traces.Trace]string{}, lock: Lock{ID: call.Name, Summary: "the lock of a test", New: newLock, Store: s.store, Ownership: s.ownership, Renews: s.renews}}
	if another := testbinary.Serve(call, a.resolve); another {
		return nil
	}
	if page := testbinary.Diff(); page != "" && testbinary.Replay() == "" {
		t.Fatalf("-simrun.diff=%s: name the counterexample by -simrun.replay", page)
	}
	if err := testbinary.Pages(); err != nil {
		t.Fatal(err)
	}
	if a.worker, err = testbinary.Reexecuted(call); err != nil {
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
	c.Lock.needs(&c.Params)
	for _, p := range a.params {
		if err := c.Set(p.name, p.value); err != nil {
			return c, err
		}
	}
	return c, c.settings().Check(c.Params)
}

// within returns the test's context with a deadline shortly before go test's time-out, so
// that findings can still be reported.
func within(t *testing.T) (context.Context, context.CancelFunc) {
	deadline, ok := t.Deadline()
	if !ok {
		return context.WithCancel(t.Context())
	}
	left := time.Until(deadline)
	return context.WithDeadline(t.Context(), deadline.Add(-min(left/10, 5*time.Second)))
}

// jobs is the number of workers. Findings do not depend on it.
func jobs() int { return min(runtime.GOMAXPROCS(0), 64) }

// search searches one scenario. An error concerns the workers or the context; the result
// then holds what was found before it.
func (a *attack) search(ctx context.Context, s *Scenario) (*Result, error) {
	start := time.Now()
	r := &Result{Scenario: s.ID, Complete: -1}
	defer func() { r.Took = time.Since(start) }()
	cell, err := a.cell(s)
	if err != nil {
		return r, err
	}
	if r.Lacks = cell.Lacks(); r.Lacks != "" {
		r.Result = NotApplicable
		return r, nil
	}
	differs, err := a.repeats(ctx, cell)
	if differs != nil {
		r.Result, r.Troubles = string(differs.Kind), []explore.Trouble{*differs}
	}
	if err != nil || differs != nil && differs.Kind != explore.Nondeterministic {
		return r, err
	}
	h := &hunter{attack: a, ctx: ctx, cell: cell, result: r, reducer: a.newReducer(), others: a.newReducer()}
	var tally *explore.Tally
	if a.bound == nil {
		sum, searchErr := explore.Search{
			Worker: a.worker, Cell: cell.Encode(), Strategy: explore.PortfolioStrategy, Seed: a.seed, Schedules: a.schedules(s.ID),
			Jobs: jobs(), Impatient: true, Happenings: len(cell.Happenings()), OnFinding: h.found,
		}.Run(ctx)
		tally, r.Result, err = &sum.Tally, sum.Result(), searchErr
	} else {
		sum, checkErr := explore.Check{
			Worker: a.worker, Cell: cell.Encode(), Bound: *a.bound, Limit: a.limit(),
			Jobs: jobs(), Happenings: len(cell.Happenings()), OnFinding: h.found,
		}.Run(ctx)
		tally, r.Result, r.Complete, err = &sum.Tally, sum.Result(), sum.Complete, checkErr
	}
	r.count(cell, tally)
	if differs != nil && r.Result != explore.Violation {
		r.Result = string(differs.Kind) // the search need not have met it
	}
	return r, errors.Join(err, h.err)
}

// count copies the counters of a search.
func (r *Result) count(c Cell, t *explore.Tally) {
	r.Schedules, r.Events, r.Classes, r.Undecided = t.Schedules, t.Events, len(t.Classes), t.Undecided
	for i, n := range t.Happened {
		r.Happenings = append(r.Happenings, Happened{c.Happenings()[i].Name, n})
	}
	for _, v := range checker.InOrder(t.Violations) {
		r.violated = append(r.violated, report.Violated{Violation: v, Schedules: t.Violations[v]})
	}
	for _, trouble := range t.Troubles {
		alike := func(o explore.Trouble) bool { return o.Kind == trouble.Kind && o.Leaked == trouble.Leaked }
		if !slices.ContainsFunc(r.Troubles, alike) {
			r.Troubles = append(r.Troubles, trouble) // the first of each kind says it all
		}
	}
}

// sample is how many schedules run twice before the search. Findings are always run twice;
// without the sample a lock without findings would not be checked for determinism.
const sample = 12

// repeats runs a few schedules twice, in different processes. It returns how they differ,
// or the trouble if one does not finish. Other troubles are left to the search.
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

// tapeOf is the tape of a random schedule, nil if its run does not finish.
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

// hunter handles the findings of the search of one scenario.
type hunter struct {
	*attack
	ctx    context.Context // of the search
	cell   Cell
	result *Result
	// reducer shrinks the findings that are reported, others those that only -v or an
	// output directory shows. Neither affects the other.
	reducer, others *Reducer
	err             error
}

// The most runs that shrinking one finding may take, within its share of the allowance.
// Faults get more than limits because they are read more often.
const (
	faultBudget = 1500
	limitBudget = 300
)

// newReducer returns a reducer for the findings of a search.
func (a *attack) newReducer() *Reducer {
	r := &Reducer{
		Worker: a.worker, Jobs: jobs(), Locks: []Lock{a.lock}, Properties: a.properties, FaultRuns: faultBudget, LimitRuns: limitBudget,
	}
	if testing.Short() {
		r.FaultRuns = limitBudget
	}
	return r
}

// found handles a finding. Reported findings are shrunk.
func (h *hunter) found(f explore.Finding) {
	t := h.traceOf(f)
	switch {
	case f.Differs != nil:
		// A tape whose runs differ cannot be shrunk: whether a smaller one still violates
		// the property would not depend on the tape alone.
		h.unsteady[t] = "it may not recur: " + f.Differs.Reason
	case h.findings == nil:
		t = h.smaller(h.reducer, f, t)
	default:
		t = h.forCause(f, t)
	}
	h.result.Findings = append(h.result.Findings, Finding{
		Scenario: h.cell.Scenario.ID, Property: f.Property, Limit: t.Limit, Seed: h.seed, Trace: t,
	})
}

// traceOf is the trace of a finding before shrinking.
func (h *hunter) traceOf(f explore.Finding) *traces.Trace {
	t := h.cell.Trace(h.seed, f.Schedule, f.Property, f.Outcome)
	if h.bound == nil {
		t.Strategy = explore.PortfolioStrategy
	}
	t.Test = &h.call
	return t
}

// forCause shrinks one counterexample per cause: the first violation of the run, if it
// shows the cause. Other findings are shrunk only if everything is to be shown.
func (h *hunter) forCause(f explore.Finding, t *traces.Trace) *traces.Trace {
	if h.fails(t.Scenario, t.Violation()) {
		found := causes.Violates(t, h.fails)
		for _, v := range causes.Telling(t, h.fails) {
			if found.ToldBy(h.result.told) || found.ToldBy(h.findings.Simple()) {
				break
			}
			first := f
			first.Property, first.Limit = v.Property, v.Limit
			one := causes.Violates(h.smaller(h.reducer, first, h.traceOf(first)), h.fails)
			one.Reduced = true
			h.result.told = append(h.result.told, one)
		}
	}
	for _, one := range h.result.told {
		if one.Trace.Violation() == f.Violation() {
			return one.Trace
		}
	}
	if everything() {
		return h.smaller(h.others, f, t)
	}
	return t
}

// planned is the number of schedules of the search, as far as it is known in advance.
func (h *hunter) planned() int {
	if h.bound != nil {
		return 0
	}
	return h.schedules(h.cell.Scenario.ID)
}

// smaller is the trace of a finding, shrunk if possible.
func (h *hunter) smaller(by *Reducer, f explore.Finding, t *traces.Trace) *traces.Trace {
	r := by.Reduce(h.ctx, h.cell, t, f, h.planned())
	if h.ctx.Err() != nil {
		return r.Trace // it is as small as the time allowed
	}
	if r.NotShrunk != nil {
		h.err = errors.Join(h.err, fmt.Errorf("the counterexample of %s cannot be shrunk: %w", f.Violation(), r.NotShrunk))
	}
	if r.NeedsUnknown != nil {
		h.err = errors.Join(h.err, fmt.Errorf("the needs of the counterexample of %s are unknown: %w", f.Violation(), r.NeedsUnknown))
	}
	return r.Trace
}
