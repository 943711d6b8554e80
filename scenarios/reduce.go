package scenarios

import (
	"context"
	"slices"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// Reducer makes the findings of one search smaller, and asks what they need. They
// share an allowance of events, and the work on one violation of a schedule serves
// the others of the same schedule. It is not for several goroutines at a time.
type Reducer struct {
	Worker explore.Worker
	// Jobs is how many worker processes there are. What comes of it does not
	// depend on it.
	Jobs int
	// Locks are those that a cell, or a remedy, may name.
	Locks []Lock
	// Properties are the ids of those that are judged, nil for the scenarios' own.
	Properties []string
	// FaultRuns and LimitRuns are how many runs it may take to shrink a fault, and
	// a limit; 0 is the default of [explore.Shrink].
	FaultRuns, LimitRuns int
	// RemedyRuns is how many schedules there are for each remedy; with 0 no
	// remedy is tried.
	RemedyRuns int
	// OnShrink, if not nil, is called after each run that shrinks a
	// counterexample, which had so many deviations before, and OnNeeds after each
	// that asks what it needs.
	OnShrink func(property string, before int, p explore.ShrinkProgress)
	OnNeeds  func(property string, runs, atMost int)

	allowance *explore.Allowance
	last      *explore.Shrunk // of the last finding
	schedule  int             // in which that was found
}

// Reduction is what became of a finding.
type Reduction struct {
	// Trace is the counterexample, as small as it got.
	Trace *traces.Trace
	// NotShrunk says why it is as it was found, and NeedsUnknown why it is not
	// known what it needs; nil otherwise.
	NotShrunk, NeedsUnknown error
}

// Reduce makes a finding smaller that a search of the cell came upon, and asks what
// it needs. Found is its trace as it was found. Planned is how many schedules the
// search has, 0 if that is not known: the more there are, the longer may this take.
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

// Shrink makes the tape of a trace's violation smaller, which violates it in the
// given cell. It may take so many events, 0 for any number.
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

// Trace is the trace of a shrunk counterexample. Old is that of what it was
// shrunk from, in the given cell.
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

// Needs adds to the trace of a shrunk counterexample what it needs, and which
// remedies would have helped. It may take so many events, 0 for any number.
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
