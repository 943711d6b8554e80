package hunt

import (
	"context"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// Effort limits the work on a finding, in runs. The work ends sooner if the finding's share of the search's allowance of
// events is used up ([explore.Allowance]).
type Effort struct {
	// Faults and Limits are the maximum numbers of runs for shrinking a fault, and a limit.
	Faults, Limits int
	// Remedies is the number of schedules per remedy; 0 tries none.
	Remedies int
}

// Usual is the default effort, and Brief that of go test -short.
var (
	Usual = Effort{Faults: 3000, Limits: 3000, Remedies: 600}
	Brief = Effort{Faults: 300, Limits: 300}
)

// Reducer shrinks findings and determines what they need.
type Reducer struct {
	Worker explore.Worker
	// Jobs is the number of worker processes. The result does not depend on it.
	Jobs int
	// Known has the scenarios and locks of cells and remedies.
	Known cell.Registry
	// Properties are the ids of the properties to judge, nil for the usual ones: see
	// [cell.Cell].Properties.
	Properties []string
	Effort     Effort
	// Time is the maximum processor time for a finding in [Reducer.Reduce], 0 for no limit: three quarters for shrinking it,
	// the rest for its needs. The result notes what was cut.
	Time time.Duration
	// Meter, if not nil, adds up the cost of shrinking and of the needs, in place of the Worker's.
	Meter *explore.Meter
	// OnShrink, if not nil, is called after each run of shrinking a counterexample; before is its number of deviations at the
	// start. OnNeeds, if not nil, is called after each run of determining its needs.
	OnShrink func(property string, before int, p explore.ShrinkProgress)
	OnNeeds  func(property string, runs, atMost int)

	searched *explore.Searched // by the counterexamples before
}

// Reduction is the result of [Reducer.Reduce].
type Reduction struct {
	// Trace is the counterexample, shrunk as far as possible.
	Trace *traces.Trace
	// NotShrunk is why it was not shrunk, and NeedsUnknown why its needs are unknown; nil otherwise.
	NotShrunk, NeedsUnknown error
	// Cut is set if the reducer's Time ended the shrinking before everything was tried.
	Cut bool

	small *explore.Shrunk // nil if it was not shrunk
}

// Reduce shrinks a finding of a search of the cell and determines its needs. Found is the trace of the finding. Base is
// the shrunk counterexample of another violation of the same schedule, or nil: if it shows this violation too, shrinking
// starts from it, and its runs count. Events is the maximum number of events in all.
func (r *Reducer) Reduce(ctx context.Context, cell cell.Cell, found *traces.Trace, f explore.Finding, base *explore.Shrunk, events int64) Reduction {
	from, tape, runs := cell, f.Tape, 0
	if base != nil && slices.Contains(base.Outcome.Violated(), f.Violation()) {
		var err error
		if from, err = r.Known.Decode(base.Cell); err != nil {
			return Reduction{Trace: found, NotShrunk: err}
		}
		tape, runs = base.Tape, base.Runs
	}
	small, err := r.shrink(ctx, from, found, tape, limits{explore.ToShrink(events), quarters(r.Time, 3)})
	if err != nil {
		return Reduction{Trace: found, NotShrunk: err}
	}
	small.Runs += runs
	small.Before = explore.CountDeviations(f.Tape)
	t, err := r.Trace(cell, found, small)
	if err != nil {
		return Reduction{Trace: found, NotShrunk: err}
	}
	err = r.needs(ctx, t, small, limits{max(events-small.Events, 1), quarters(r.Time, 1)})
	return Reduction{Trace: t, NeedsUnknown: err, Cut: small.Cut, small: small}
}

// limits are the maximum number of events, and the maximum processor time, of the runs for a finding; 0 for no limit.
type limits struct {
	events int64
	time   time.Duration
}

// quarters returns n quarters of a time limit, where 0 means no limit.
func quarters(d time.Duration, n int) time.Duration {
	if d == 0 {
		return 0
	}
	return max(d*time.Duration(n)/4, 1)
}

// Shrink shrinks the tape of a trace's violation in the given cell. Events is the
// maximum number of events, 0 for no limit.
func (r *Reducer) Shrink(ctx context.Context, cell cell.Cell, old *traces.Trace, tape []sim.Choice, events int64) (*explore.Shrunk, error) {
	return r.shrink(ctx, cell, old, tape, limits{events, 0})
}

func (r *Reducer) shrink(ctx context.Context, cell cell.Cell, old *traces.Trace, tape []sim.Choice, most limits) (*explore.Shrunk, error) {
	s := explore.Shrink{
		Worker: r.metered(), Cell: cell.Encode(), Property: old.Property, Limit: old.Limit, Smaller: cell.Smaller,
		Budget: r.Effort.Faults, Events: most.events, Time: most.time, Jobs: r.Jobs,
	}
	if old.Limit {
		s.Budget = r.Effort.Limits
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

// metered is the worker with the reducer's meter.
func (r *Reducer) metered() explore.Worker {
	w := r.Worker
	if r.Meter != nil {
		w.Meter = r.Meter
	}
	return w
}

// Again shrinks the counterexample of a recorded trace and determines its needs. A shrunk trace is shrunk further, and the
// new trace still names the original.
func (r *Reducer) Again(ctx context.Context, cell cell.Cell, old *traces.Trace) (*traces.Trace, error) {
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
	return t, r.Needs(ctx, t, small, explore.NewAllowance(small.Events, 1).Share(0, false))
}

// Trace returns the trace of a shrunk counterexample. Old is the trace that was shrunk, in the given cell.
func (r *Reducer) Trace(cell cell.Cell, old *traces.Trace, small *explore.Shrunk) (*traces.Trace, error) {
	smaller, err := r.Known.Decode(small.Cell)
	if err != nil {
		return nil, err
	}
	t := smaller.Trace(old.Seed, old.Schedule, old.Property, small.Outcome)
	t.Strategy, t.Test = old.Strategy, old.Test
	t.StillConfirmed(old)
	t.Shrunk = &traces.Shrunk{Parameters: cell.Parameters(), From: small.Before, To: small.Deviations, Runs: small.Runs, Exhausted: small.Exhausted}
	return t, nil
}

// Needs adds to the trace of a shrunk counterexample its needs and the remedies that prevent it. Events is the maximum
// number of events, 0 for no limit.
func (r *Reducer) Needs(ctx context.Context, t *traces.Trace, small *explore.Shrunk, events int64) error {
	return r.needs(ctx, t, small, limits{events, 0})
}

func (r *Reducer) needs(ctx context.Context, t *traces.Trace, small *explore.Shrunk, most limits) error {
	cell, err := r.Known.Of(t)
	if err != nil {
		return err
	}
	cell.Properties = r.Properties
	if r.searched == nil {
		r.searched = &explore.Searched{}
	}
	o := AttributeOptions{
		Worker: r.metered(), Locks: r.Known.Locks, NoRemedies: r.Effort.Remedies == 0, Property: t.Property, Tape: small.Tape, Outcome: small.Outcome,
		Seed: t.Seed, Jobs: r.Jobs, Budget: r.Effort.Remedies, Events: most.events, Time: most.time,
		Searched: r.searched,
	}
	if r.OnNeeds != nil {
		o.OnProgress = func(runs, atMost int) { r.OnNeeds(t.Property, runs, atMost) }
	}
	t.Attribution, err = Attribute(ctx, cell, o)
	return err
}
