package simrun

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestShardStatement is about what a shard of a check may say of itself: what
// it covered, and that merge says what it all comes to.
func TestShardStatement(t *testing.T) {
	cell, err := scenarios.Registry(locks()).Cell("two-step-release", "setpx", nil)
	if err != nil {
		t.Fatal(err)
	}
	levels := []explore.Level{{Orders: 0}, {Schedules: 20, Idle: 2, Orders: 19}}
	const merge, reduction = "simrun merge decides whether the bound is exhausted", "It also verifies the reduction"
	for _, test := range []struct {
		name  string
		s     explore.CheckSummary
		plain bool
		says  []string
	}{
		{"all that it has", explore.CheckSummary{Bound: 1, Complete: 1, Levels: levels}, false, []string{
			"Searched: the part of shard 2/3 of bound 1: 20 schedules were run, of 19 classes of orders, and 2 left out.", merge, reduction,
		}},
		{"without reduction", explore.CheckSummary{Bound: 1, Complete: 1, Levels: levels}, true, []string{"20 schedules were run", merge}},
		{"nothing", explore.CheckSummary{Bound: 1, Complete: 1, Levels: make([]explore.Level, 2)}, false, []string{
			"Searched: nothing, because shard 2/3 has no schedule of bound 1.", merge,
		}},
		{"a limit", explore.CheckSummary{Bound: 2, Complete: 1, Levels: levels, Limited: true, Sizes: []float64{1, 60, 1234}}, false, []string{
			"20 schedules were run", "Bound 2 has 1,234 schedules more, too many for --limit 1,000, and was not begun.", merge,
		}},
		{"an interrupt", explore.CheckSummary{Bound: 0, Complete: -1, Interrupted: true}, false, []string{
			"Shard 2/3 completed its part of no bound. Bound 0 was interrupted.", merge,
		}},
	} {
		for _, l := range test.s.Levels {
			test.s.Schedules += l.Schedules
		}
		h := &session{cell: cell, id: identity{Kind: checkKind, Bound: test.s.Bound, Limit: 1000, Plain: test.plain}, shard: explore.Shard{Index: 2, Of: 3}}
		got := h.coverage(&test.s)
		for _, says := range test.says {
			if !strings.Contains(got, says) {
				t.Errorf("%s: does not say %q:\n%s", test.name, says, got)
			}
		}
		if strings.Contains(got, reduction) == test.plain {
			t.Errorf("%s: what it says of the reduction:\n%s", test.name, got)
		}
	}
}

// TestCoverage is about what a check may say of itself: no more than it did.
func TestCoverage(t *testing.T) {
	cell, err := scenarios.Registry(locks()).Cell("two-step-release", "setpx", nil)
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
			"all schedules with at most 1 deviation from the calm run, up to the order of independent events: 61 were run, of 60 classes of orders. Left out as equivalent: 2,",
			"segments that are held back for 2s, 7s, 1.8s, 1.1s, 900ms, just under",
		}},
		{"a limit", explore.CheckSummary{Bound: 3, Complete: 1, Levels: two, Limited: true, Sizes: []float64{1, 60, 1234, 1e9}}, []string{
			"at most 1 deviation", "Bound 2 has 1,234 schedules more, too many for --limit 1,000, and was not begun.",
		}},
		{"an interrupt", explore.CheckSummary{Bound: 1, Complete: 0, Levels: two, Interrupted: true}, []string{
			"Searched: the calm run. Bound 1 was interrupted, of which 60 schedules were run.",
		}},
		{"nothing", explore.CheckSummary{Bound: 1, Complete: -1}, []string{"No bound was searched completely."}},
		{"a reduction that does not hold", explore.CheckSummary{Bound: 1, Complete: 1, Levels: two, Unmatched: 3}, []string{
			"the reduction does not hold here: 3 classes of orders occurred", "use --plain",
		}},
	} {
		for _, l := range test.s.Levels {
			test.s.Schedules += l.Schedules
		}
		h := &session{cell: cell, id: identity{Kind: checkKind, Bound: test.s.Bound, Limit: 1000}}
		got := h.coverage(&test.s)
		for _, says := range append(test.says, "Latencies take no other values than these") {
			if !strings.Contains(got, says) {
				t.Errorf("%s: does not say %q:\n%s", test.name, says, got)
			}
		}
	}
}
