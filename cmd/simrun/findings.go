package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// found makes a finding smaller, asks what was necessary for it, writes its
// trace and tells of it.
func (h *hunt) found(f explore.Finding) {
	t, notes := h.reduce(f)
	path := h.tracePath(fileWord(f.Violation()))
	t, note, err := h.write(path, t)
	if err != nil {
		h.err = errors.Join(h.err, fmt.Errorf("a trace cannot be written: %w", err))
		path = ""
	}
	if note != "" {
		notes = append(notes, note)
	}
	h.live.clear()
	h.print.finding(t, path, notes)
}

// keepTapes writes the tape of the first trouble of each kind as a trace, so
// that it can be run again.
func (h *hunt) keepTapes(list []explore.Trouble) {
	h.tapes = map[explore.TroubleKind]string{}
	for i := range list {
		trouble := &list[i]
		if h.tapes[trouble.Kind] != "" || len(trouble.Tape) == 0 {
			continue
		}
		t := h.cell.Trace(h.id.Seed, trouble.Schedule, "", explore.Outcome{Recording: &explore.Recording{Choices: trouble.Tape}})
		t.Strategy = h.id.Strategy
		t.Trouble = &traces.Trouble{Kind: string(trouble.Kind), Reason: trouble.Reason}
		path := h.tracePath(string(trouble.Kind))
		if err := traces.WriteFileWithin(path, t, h.room()); err != nil {
			h.err = errors.Join(h.err, fmt.Errorf("a trace cannot be written: %w", err))
			continue
		}
		h.tapes[trouble.Kind] = path
	}
}

// reduced is what a schedule that violated something was shrunk to.
type reduced struct {
	schedule int
	small    explore.Shrunk
	violated []model.Violation
}

// reduce is the trace of a finding, as small as it gets. Notes say what could
// not be done.
func (h *hunt) reduce(f explore.Finding) (t *traces.Trace, notes []string) {
	t = h.cell.Trace(h.id.Seed, f.Schedule, f.Property, f.Outcome)
	t.Strategy = h.id.Strategy
	if f.Differs != nil {
		return t, []string{"not made smaller, since " + f.Differs.Reason}
	}
	if h.NoShrink {
		return t, nil
	}
	defer h.live.away()()
	if h.allowance == nil {
		h.allowance = explore.NewAllowance(f.Outcome.Events, h.planned(f.Schedule))
	}
	share := h.allowance.Share(t.Limit)
	r := reducer{app: h.app, show: h.live.show, jobs: h.Jobs}
	shrink := explore.Shrink{Cell: h.cell.Encode(), Property: f.Property, Limit: f.Limit, Events: explore.ToShrink(share)}
	tape, before, runs := f.Tape, explore.CountDeviations(f.Tape), 0
	if last := h.reduced; last != nil && last.schedule == f.Schedule && slices.Contains(last.violated, f.Violation()) {
		// The work on another violation of the same schedule serves this one.
		shrink.Cell, tape, runs = last.small.Cell, last.small.Tape, last.small.Runs
	}
	small, err := r.shrink(h.ctx, shrink, tape)
	if err != nil {
		return t, []string{"not shrunk: " + why(err)}
	}
	h.allowance.Spend(small.Events)
	r.events, r.spent = max(share-small.Events, 1), h.allowance.Spend
	small.Runs += runs
	small.Before = before
	h.reduced = &reduced{f.Schedule, *small, small.Outcome.Violated()}
	s, err := r.trace(h.cell, t, small)
	if err != nil {
		return t, []string{"not shrunk: " + why(err)}
	}
	if err := r.attribute(h.ctx, s, small); err != nil {
		notes = append(notes, "what was necessary is not known: "+why(err))
	}
	return s, notes
}

// planned is how many schedules the search has, as far as that is known before,
// and if it ends with its first finding, how many it had until then.
func (h *hunt) planned(schedule int) int {
	switch {
	case h.id.FailFast:
		return schedule + 1
	case h.id.Kind == checkKind:
		return 0
	}
	return h.id.Runs
}

// why is an error in few words.
func why(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	return err.Error()
}

// reducer makes counterexamples smaller and asks what was necessary.
type reducer struct {
	*app
	jobs int
	show func(format string, args ...any)
	// events is how many events it may take to say what was necessary, 0 for any
	// number, and spent, if not nil, is told how many it took.
	events int64
	spent  func(events int64)
}

func (r *reducer) shrink(ctx context.Context, s explore.Shrink, tape []sim.Choice) (*explore.Shrunk, error) {
	s.Worker, s.Smaller, s.Jobs = r.worker, scenarios.Smaller, r.jobs
	from := explore.CountDeviations(tape)
	s.OnProgress = func(p explore.ShrinkProgress) {
		if p.Runs == 1 {
			p.Deviations = from // nothing is known yet
		}
		r.show("shrinking %s: %s of at most %s, %s -> %s", s.Property, wording.Grouped(p.Runs), wording.GroupedCount(p.AtMost, "run"), wording.Grouped(from), wording.GroupedCount(p.Deviations, "deviation"))
	}
	return s.Run(ctx, tape)
}

// trace is the trace of a shrunk counterexample. Old is that of what it was
// shrunk from, in the given cell.
func (r *reducer) trace(cell scenarios.Cell, old *traces.Trace, small *explore.Shrunk) (*traces.Trace, error) {
	smaller, err := scenarios.Decode(small.Cell, r.locks)
	if err != nil {
		return nil, err
	}
	t := smaller.Trace(old.Seed, old.Schedule, old.Property, small.Outcome)
	t.Strategy = old.Strategy
	t.Shrunk = &traces.Shrunk{Parameters: cell.Params.List(), From: small.Before, To: small.Deviations, Runs: small.Runs, Exhausted: small.Exhausted}
	return t, nil
}

// attribute adds to the trace what was necessary.
func (r *reducer) attribute(ctx context.Context, t *traces.Trace, small *explore.Shrunk) error {
	cell, err := scenarios.CellOf(t, r.locks)
	if err != nil {
		return err
	}
	t.Attribution, err = cell.Attribute(ctx, scenarios.AttributeOptions{
		Worker: r.worker, Locks: r.locks, Property: t.Property, Tape: small.Tape, Outcome: small.Outcome,
		Seed: t.Seed, Jobs: r.jobs, Budget: remedyBudget, Events: r.events, OnSpent: r.spent,
		OnProgress: func(runs, atMost int) {
			r.show("asking what %s needs and what would help: %s of at most %s", t.Property, wording.Grouped(runs), wording.GroupedCount(atMost, "run"))
		},
	})
	return err
}

// remedyBudget is how many schedules the search for what would have helped has
// for each remedy.
const remedyBudget = 600
