package scenarios

import (
	"context"
	"slices"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// Reducer shrinks the findings of one search and determines what they need. They share an
// allowance of events. Work on one violation of a schedule is reused for others of the
// same schedule. A Reducer is not safe for concurrent use.
type Reducer struct {
	Worker explore.Worker
	// Jobs is the number of worker processes. The result does not depend on it.
	Jobs int
	// Locks are the locks that cells and remedies may name.
	Locks []Lock
	// Properties are the ids of the properties to judge, nil for the scenarios' own.
	Properties []string
	// FaultRuns and LimitRuns are the most runs for shrinking a fault and a limit; 0 is the
	// default of [explore.Shrink].
	FaultRuns, LimitRuns int
	// RemedyRuns is the number of schedules per remedy; 0 tries no remedy.
	RemedyRuns int
	// OnShrink, if not nil, is called after each run that shrinks a counterexample; before
	// is its number of deviations at the start. OnNeeds, if not nil, is called after each
	// run that determines what it needs.
	OnShrink func(property string, before int, p explore.ShrinkProgress)
	OnNeeds  func(property string, runs, atMost int)

	allowance *explore.Allowance
	last      *explore.Shrunk // of the last finding
	schedule  int             // in which that was found
}

// Reduction is the result of [Reducer.Reduce].
type Reduction struct {
	// Trace is the counterexample, shrunk as far as possible.
	Trace *traces.Trace
	// NotShrunk says why it was not shrunk, and NeedsUnknown why its needs are unknown; nil
	// otherwise.
	NotShrunk, NeedsUnknown error
}

// Reduce shrinks a finding of a search of the cell and determines what it needs. Found is
// the trace of the finding. Planned is the number of schedules of the search, 0 if
// unknown; a larger search allows more events here.
func (r *Reducer) Reduce(ctx context.Context, cell Cell, found *traces.Trace, f explore.Finding, planned int) Reduction {
	if r.allowance == nil {
		r.allowance = explore.NewAllowance(f.Outcome.Events, planned)
	}
	share := r.allowance.Share(f.Limit)
	from, tape, runs := cell, f.Tape, 0
	if r.last != nil && r.schedule == f.Schedule && slices.Contains(r.last.Outcome.Violated(), f.Violation()) {
		var err error
		if from, err = Decode(r.last.Cell, r.Locks); err != nil {
			return Reduction{Trace: found, NotShrunk: err}
		}
		tape, runs = r.last.Tape, r.last.Runs
	}
	small, err := r.Shrink(ctx, from, found, tape, explore.ToShrink(share))
	if err != nil {
		return Reduction{Trace: found, NotShrunk: err}
	}
	r.allowance.Spend(small.Events)
	small.Runs += runs
	small.Before = explore.CountDeviations(f.Tape)
	r.last, r.schedule = small, f.Schedule
	t, err := r.Trace(cell, found, small)
	if err != nil {
		return Reduction{Trace: found, NotShrunk: err}
	}
	err = r.Needs(ctx, t, small, max(share-small.Events, 1))
	return Reduction{Trace: t, NeedsUnknown: err}
}

// Shrink shrinks the tape of a trace's violation in the given cell. Events is the most
// events that it may take, 0 for no limit.
func (r *Reducer) Shrink(ctx context.Context, cell Cell, old *traces.Trace, tape []sim.Choice, events int64) (*explore.Shrunk, error) {
	s := explore.Shrink{
		Worker: r.Worker, Cell: cell.Encode(), Property: old.Property, Limit: old.Limit, Smaller: cell.Smaller,
		Budget: r.FaultRuns, Events: events, Jobs: r.Jobs,
	}
	if old.Limit {
		s.Budget = r.LimitRuns
	}
	from := explore.CountDeviations(tape)
	s.OnProgress = func(p explore.ShrinkProgress) {
		if p.Runs == 1 {
			p.Deviations = from // nothing is known yet
		}
		if r.OnShrink != nil {
			r.OnShrink(old.Property, from, p)
		}
	}
	return s.Run(ctx, tape)
}

// Again shrinks the counterexample of a recorded trace and determines what it needs. What was
// shrunk before is shrunk on: the new trace says what it was shrunk from at first.
func (r *Reducer) Again(ctx context.Context, cell Cell, old *traces.Trace) (*traces.Trace, error) {
	small, err := r.Shrink(ctx, cell, old, old.Tape, 0)
	if err != nil {
		return nil, err
	}
	t, err := r.Trace(cell, old, small)
	if err != nil {
		return nil, err
	}
	if s := old.Shrunk; s != nil {
		t.Shrunk.Parameters, t.Shrunk.From = slices.Clone(s.Parameters), s.From
		t.Shrunk.Runs += s.Runs
	}
	return t, r.Needs(ctx, t, small, explore.NewAllowance(small.Events, 1).Share(false))
}

// Trace is the trace of a shrunk counterexample. Old is the trace that was shrunk, in the
// given cell.
func (r *Reducer) Trace(cell Cell, old *traces.Trace, small *explore.Shrunk) (*traces.Trace, error) {
	smaller, err := Decode(small.Cell, r.Locks)
	if err != nil {
		return nil, err
	}
	t := smaller.Trace(old.Seed, old.Schedule, old.Property, small.Outcome)
	t.Strategy, t.Test = old.Strategy, old.Test
	t.Shrunk = &traces.Shrunk{Parameters: cell.Parameters(), From: small.Before, To: small.Deviations, Runs: small.Runs, Exhausted: small.Exhausted}
	return t, nil
}

// Needs adds to the trace of a shrunk counterexample what it needs and which remedies
// prevent it. Events is the most events that it may take, 0 for no limit.
func (r *Reducer) Needs(ctx context.Context, t *traces.Trace, small *explore.Shrunk, events int64) error {
	cell, err := CellOf(t, r.Locks)
	if err != nil {
		return err
	}
	cell.Properties = r.Properties
	o := AttributeOptions{
		Worker: r.Worker, Locks: r.Locks, NoRemedies: r.RemedyRuns == 0, Property: t.Property, Tape: small.Tape, Outcome: small.Outcome,
		Seed: t.Seed, Jobs: r.Jobs, Budget: r.RemedyRuns, Events: events,
		OnSpent: func(events int64) {
			if r.allowance != nil {
				r.allowance.Spend(events)
			}
		},
	}
	if r.OnNeeds != nil {
		o.OnProgress = func(runs, atMost int) { r.OnNeeds(t.Property, runs, atMost) }
	}
	t.Attribution, err = cell.Attribute(ctx, o)
	return err
}
