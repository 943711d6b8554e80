package simrun

import (
	"context"
	"errors"
	"fmt"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// found shrinks a finding, determines what it needs, writes its trace and prints it.
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
	h.told = append(h.told, told{t, path, notes})
	h.live.clear()
	h.print.finding(h.told[len(h.told)-1])
}

// keepTapes writes the tape of the first trouble of each kind as a trace, so that it can
// be replayed.
func (h *hunt) keepTapes(list []explore.Trouble) {
	h.tapes = map[explore.TroubleKind]string{}
	for i := range list {
		trouble := &list[i]
		if h.tapes[trouble.Kind] != "" || len(trouble.Tape) == 0 {
			continue
		}
		t := h.cell.Trace(h.id.Seed, trouble.Schedule, "", explore.Outcome{Recording: &explore.Recording{Choices: trouble.Tape}})
		t.Strategy = h.id.Strategy
		t.Trouble = &traces.Trouble{Kind: string(trouble.Kind), Reason: trouble.Reason} // without the stack, whose addresses differ from run to run
		path := h.tracePath(string(trouble.Kind))
		if err := traces.WriteFileWithin(path, t, h.room()); err != nil {
			h.err = errors.Join(h.err, fmt.Errorf("a trace cannot be written: %w", h.tooLong(err, "")))
			continue
		}
		h.tapes[trouble.Kind] = path
	}
}

// reduce is the trace of a finding, shrunk as far as possible. Notes say what failed.
func (h *hunt) reduce(f explore.Finding) (t *traces.Trace, notes []string) {
	t = h.cell.Trace(h.id.Seed, f.Schedule, f.Property, f.Outcome)
	t.Strategy = h.id.Strategy
	if f.Differs != nil {
		return t, []string{"not shrunk: " + f.Differs.Reason}
	}
	if h.NoShrink {
		return t, nil
	}
	defer h.live.away()()
	if h.reducer == nil {
		h.reducer = h.newReducer(h.Jobs, h.live.meanwhile)
	}
	r := h.reducer.Reduce(h.ctx, h.cell, t, f, h.planned(f.Schedule))
	if r.NotShrunk != nil {
		notes = append(notes, "not shrunk: "+why(r.NotShrunk))
	}
	if r.NeedsUnknown != nil {
		notes = append(notes, "what it needs is unknown: "+why(r.NeedsUnknown))
	}
	return r.Trace, notes
}

// planned is the number of schedules of the search, as far as it is known in advance. If
// the search ends with its first finding, it is the number until then.
func (h *hunt) planned(schedule int) int {
	switch {
	case h.id.FailFast:
		return schedule + 1
	case h.id.Kind == checkKind:
		return 0
	}
	return h.id.Runs
}

// why is an error in short.
func why(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	return err.Error()
}

// newReducer returns a reducer that shows its progress.
func (a *app) newReducer(jobs int, show func(format string, args ...any)) *scenarios.Reducer {
	return &scenarios.Reducer{
		Worker: a.worker, Jobs: jobs, Locks: a.locks, RemedyRuns: remedyBudget,
		OnShrink: func(property string, before int, p explore.ShrinkProgress) {
			show("shrinking %s: %s of at most %s, %s -> %s", property, wording.Grouped(p.Runs), wording.GroupedCount(p.AtMost, "run"), wording.Grouped(before), wording.GroupedCount(p.Deviations, "deviation"))
		},
		OnNeeds: func(property string, runs, atMost int) {
			show("what %s needs, and remedies: %s of at most %s", property, wording.Grouped(runs), wording.GroupedCount(atMost, "run"))
		},
	}
}

// remedyBudget is the number of schedules per remedy.
const remedyBudget = 600
