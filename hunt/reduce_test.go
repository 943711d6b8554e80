package hunt_test

import (
	"context"
	"errors"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// twoOfOne are a cell and two findings of one schedule of it.
func twoOfOne(t *testing.T) (c cell.Cell, one, two explore.Finding) {
	t.Helper()
	c = cells.Of(t, "gc-pause", "setpx-del")
	list := map[int][]explore.Finding{}
	_, err := explore.Search{
		Worker: cells.Worker(t, 1), Cell: c.Encode(), Strategy: explore.PortfolioStrategy, Seed: 1, Schedules: 100,
		Enough: func(*explore.Summary) bool { return one.Property != "" },
		OnFinding: func(f explore.Finding) {
			if !f.Limit {
				list[f.Schedule] = append(list[f.Schedule], f)
			}
			if same := list[f.Schedule]; len(same) == 2 && one.Property == "" {
				one, two = same[0], same[1]
			}
		},
	}.Run(t.Context())
	if err != nil || one.Property == "" {
		t.Fatalf("no schedule has two faults: %v", err)
	}
	return c, one, two
}

// TestReducer: what a finding is shrunk to is smaller, and says what it needs.
func TestReducer(t *testing.T) {
	c, one, two := twoOfOne(t)
	r := hunt.Reducer{Worker: cells.Worker(t, 1), Jobs: 1, Known: scenarios.Registry(cells.Locks()), Effort: hunt.Effort{Faults: 60, Limits: 60}}
	for _, f := range []explore.Finding{one, two} {
		got := r.Reduce(t.Context(), c, c.Trace(1, f.Schedule, f.Property, f.Outcome), f, nil, share(f))
		if got.NotShrunk != nil || got.NeedsUnknown != nil {
			t.Fatalf("%s: %v, %v", f.Property, got.NotShrunk, got.NeedsUnknown)
		}
		s := got.Trace.Shrunk
		smaller := s.To < s.From || s.From == 1 && s.To == 1
		if got.Trace.Violation() != f.Violation() || s.From != explore.CountDeviations(f.Tape) || !smaller || s.Runs > 60 || got.Trace.Attribution == nil {
			t.Errorf("%s came to a trace of %s, %+v", f.Violation(), got.Trace.Violation(), s)
		}
	}
}

// share is what may be done about a finding of a search of 100 schedules.
func share(f explore.Finding) int64 {
	return explore.NewAllowance(f.Outcome.Events, 100).Share(0, f.Limit)
}

// TestReducerInterrupted: of what cannot be done, nothing that was done before is
// lost.
func TestReducerInterrupted(t *testing.T) {
	c, f, _ := twoOfOne(t)
	found := c.Trace(1, f.Schedule, f.Property, f.Outcome)
	for _, shrunk := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		r := hunt.Reducer{Worker: cells.Worker(t, 1), Jobs: 1, Known: scenarios.Registry(cells.Locks()), Effort: hunt.Effort{Faults: 60, Limits: 60}}
		r.OnShrink = func(string, int, explore.ShrinkProgress) {
			if !shrunk {
				cancel()
			}
		}
		r.OnNeeds = func(string, int, int) { cancel() }
		got := r.Reduce(ctx, c, found, f, nil, share(f))
		if shrunk && (got.NotShrunk != nil || got.Trace.Shrunk == nil || !errors.Is(got.NeedsUnknown, context.Canceled)) {
			t.Errorf("interrupted when it was shrunk: %+v, %v, %v", got.Trace.Shrunk, got.NotShrunk, got.NeedsUnknown)
		}
		if !shrunk && (!errors.Is(got.NotShrunk, context.Canceled) || got.Trace != found) {
			t.Errorf("interrupted before: %+v, %v", got.Trace.Shrunk, got.NotShrunk)
		}
		cancel()
	}
}
