package main

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestStatement is about what a check may say of itself: no more than it did.
func TestStatement(t *testing.T) {
	cell, err := scenarios.NewCell("two-step-release", "setpx", nil, scenarios.Locks())
	if err != nil {
		t.Fatal(err)
	}
	two := []explore.Level{{Schedules: 1, Orders: 1}, {Schedules: 60, Idle: 2, Orders: 60}}
	for _, test := range []struct {
		name string
		s    explore.CheckSummary
		says []string
	}{
		{"all of it", explore.CheckSummary{Bound: 1, Complete: 1, Levels: two}, []string{
			"all schedules with at most 1 deviation from the calm run, up to the order of independent events: 61 were run, of 60 classes of orders; 2 more,",
			"segments that are held back for 2s or 7s, 2 times at most",
		}},
		{"a limit", explore.CheckSummary{Bound: 3, Complete: 1, Levels: two, Limited: true, Sizes: []float64{1, 60, 1234, 1e9}}, []string{
			"at most 1 deviation", "Bound 2 has 1,234 schedules more, too many for --limit 1,000, and was not begun.",
		}},
		{"an interrupt", explore.CheckSummary{Bound: 1, Complete: 0, Levels: two, Interrupted: true}, []string{
			"Searched: the calm run. Bound 1 was interrupted, of which 60 schedules were run.",
		}},
		{"nothing", explore.CheckSummary{Bound: 1, Complete: -1}, []string{"No bound was searched whole."}},
		{"a reduction that does not hold", explore.CheckSummary{Bound: 1, Complete: 1, Levels: two, Unmatched: 3}, []string{
			"the reduction does not hold here: of 3 classes of orders", "use --plain",
		}},
	} {
		for _, l := range test.s.Levels {
			test.s.Schedules += l.Schedules
		}
		h := &hunt{cell: cell, id: identity{Kind: checkKind, Bound: test.s.Bound, Limit: 1000}}
		got := h.statement(&test.s)
		for _, says := range append(test.says, "Latencies have no other values than these") {
			if !strings.Contains(got, says) {
				t.Errorf("%s: does not say %q:\n%s", test.name, says, got)
			}
		}
	}
}
