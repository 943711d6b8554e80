package hunt_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// inTime hunts a lock with a fault, with a time for telling each finding (0: no limit).
func inTime(t *testing.T, tell time.Duration) (*hunt.Hunt, *hunt.Result) {
	t.Helper()
	h := &hunt.Hunt{
		Search:  hunt.Search{Strategy: explore.PortfolioStrategy, Seed: 1, Schedules: 60},
		Cell:    cells.Of(t, "gc-pause", "setpx-del"),
		Reducer: hunt.Reducer{Worker: cells.Worker(t, 1), Jobs: 1, Known: scenarios.Registry(cells.Locks()), Effort: hunt.Brief},
		Reports: func(v model.Violation) bool { return !v.Limit },
		Shown:   true,
	}
	h.Reducer.Meter = &explore.Meter{}
	if tell > 0 {
		h.ShrinkBudget = func() time.Duration { return tell }
	}
	return h, run(t, h)
}

// TestShrinkBudget: a finding for which the time does not suffice is found all the same, violates what it did, and says
// that there was more to try.
func TestShrinkBudget(t *testing.T) {
	t.Parallel()
	h, whole := inTime(t, 0)
	if h.Reducer.Meter.Spent() == 0 {
		t.Skip("the operating system does not say what a process takes")
	}
	_, cut := inTime(t, 1)
	says := func(f *hunt.Finding) bool {
		return slices.ContainsFunc(f.Notes, func(n string) bool { return strings.Contains(n, "the time for shrinking ended") })
	}
	if len(whole.Findings) == 0 || len(whole.Findings) != len(cut.Findings) || len(cut.Reported) == 0 || cut.Cut {
		t.Fatalf("%d findings; in no time %d, %d reported", len(whole.Findings), len(cut.Findings), len(cut.Reported))
	}
	larger := false
	for i, f := range cut.Findings {
		of := whole.Findings[i]
		if f.Trace.Violation() != of.Trace.Violation() || f.Trace.Schedule != of.Trace.Schedule || f.Trace.Verdict().Status != model.Violated {
			t.Errorf("%s in schedule %d is %s in %d in no time", of.Trace.Violation(), of.Trace.Schedule, f.Trace.Violation(), f.Trace.Schedule)
		}
		if !says(f) || says(of) || !f.Trace.Shrunk.Exhausted {
			t.Errorf("%s: notes %q, and with no limit %q", f.Trace.Violation(), f.Notes, of.Notes)
		}
		larger = larger || f.Trace.Shrunk.To > of.Trace.Shrunk.To
	}
	if !larger {
		t.Error("nothing is larger than with all the time that it takes")
	}
}

// TestHuntTime: what the time ends says so, and is no result of the whole.
func TestHuntTime(t *testing.T) {
	t.Parallel()
	h, _ := hunted(t, explore.Shard{})
	h.Cell, h.Time, h.Reducer.Worker.Meter = cells.Of(t, "contention", "setpx-cad"), 1, &explore.Meter{}
	r := run(t, h)
	if h.Reducer.Worker.Meter.Spent() == 0 {
		t.Skip("the operating system does not say what a process takes")
	}
	if !r.Cut || r.Word != string(explore.Inconclusive) || r.Schedules >= h.Schedules {
		t.Errorf("it comes to %s after %d schedules, cut %t", r.Word, r.Schedules, r.Cut)
	}
}
