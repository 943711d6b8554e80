package main

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
)

// TestCells: what must be found is measured, and every cell can be run.
func TestCells(t *testing.T) {
	table, err := os.ReadFile("../../scenarios/table_test.go")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\t\{"([a-z-]+)", "([a-z-]+)", ([^n]\S*)`).FindAllStringSubmatch(string(table), -1)
	if len(rows) == 0 {
		t.Error("the table has no locks that misbehave")
	}
	for _, lock := range []string{"setpx", "setpx-twostep", "setpx-fenced", "setpx-wait"} {
		expected, err := expect.Expected(builtin.Families(), lock)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range expected.In {
			if len(e.Must) > 0 && len(e.Settings) == 0 && e.Topology == "" { // of the others, the matrix finds some
				rows = append(rows, []string{"", e.Scenario, lock})
			}
		}
	}
	for _, row := range rows {
		if !slices.ContainsFunc(cells, func(c place) bool { return c.scenario == row[1] && c.lock == row[2] }) {
			t.Errorf("%s/%s is not measured", row[1], row[2])
		}
	}
	for _, c := range cells {
		if _, err := c.resolve(); err != nil {
			t.Errorf("%s: %v", c, err)
		}
	}
}

func TestChoose(t *testing.T) {
	tests := []struct {
		list string
		want int
		err  string
	}{
		{"", len(cells), ""},
		{"planted-3", 1, ""},
		{"gc-pause/setpx-wait,planted-4", 2, ""},
		{"contention/test-planted-order/fencing/rounds=5", 1, ""},
		{"nothing", 0, `no bug is called "nothing"`},
		{"contention/setpx/honesty", 0, `there is no property "honesty"`},
		{"contention/setpx/fencing/rounds", 0, `"rounds" is no parameter`},
		{"contention/setpx/fencing/rounds=many", 0, `parameter rounds="many"`},
	}
	for _, test := range tests {
		got, err := choose(test.list)
		if len(got) != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%q: %v, %v", test.list, got, err)
		}
	}
}

// TestComplaints: what is required is required of every bug.
func TestComplaints(t *testing.T) {
	of := func(random, guided, portfolio int, deep bool) *bug {
		b := &bug{place: place{scenario: "s", lock: "l", deep: deep}, property: "p", found: map[string][]int{}, spent: map[string][]time.Duration{}, limit: map[string]int{}}
		for name, median := range map[string]int{"random": random, "guided": guided, "portfolio": portfolio} {
			b.found[name], b.limit[name] = []int{1, median, none}, 500
			b.spent[name] = []time.Duration{time.Millisecond, time.Duration(median) * time.Millisecond, 500 * time.Millisecond}
			if median == none {
				b.found[name] = []int{none, none, none}
				b.spent[name] = slices.Repeat([]time.Duration{500 * time.Millisecond}, 3)
			}
		}
		return b
	}
	strategies := []string{explore.RandomStrategy, explore.GuidedStrategy, explore.PortfolioStrategy}
	tests := []struct {
		bug  *bug
		want int
	}{
		{of(50, 10, 20, false), 0},
		{of(50, 10, 21, false), 1},
		{of(60, 20, 20, true), 0},
		{of(59, 20, 20, true), 1},
		{of(none, 20, 20, true), 0},
		{of(20, none, 41, true), 2},
	}
	for i, test := range tests {
		if got := complaints([]*bug{test.bug}, strategies); len(got) != test.want {
			t.Errorf("%d: %q", i, got)
		}
	}
	page := report([]*bug{tests[4].bug}, strategies, 3, "command")
	for _, part := range []string{"| s l: p | ? |", "| >500 (>500) | 20 (>500) | 20 (>500) | guided | 1.0 | 25.0 |", "median of 3 seeds", "by `command`", "| s l: p | >1500 | 260 | 260 | guided | 1.0 |", "| **geometric mean, all** | >1500 | 260 | 260 | | |"} {
		if !strings.Contains(strings.ReplaceAll(page, "|  |", "| ? |"), part) {
			t.Errorf("no %q in\n%s", part, page)
		}
	}
	if strings.Contains(page, "{{") {
		t.Errorf("something is missing:\n%s", page)
	}
}

// TestRate: the schedules of all blocks, each up to the one that found the bug, are divided by the blocks that found it.
func TestRate(t *testing.T) {
	blocks := []first{{100, time.Second}, {none, 2 * time.Second}, {44, time.Second}, {none, 2 * time.Second}}
	want := float64(100+44+2*explore.BlockSize) / 2
	r := rateOf(blocks)
	if r.found != 2 || r.mean != want || r.spent != 3*time.Second || r.low >= want || r.high <= want {
		t.Errorf("%+v, want %g schedules a find", r, want)
	}
	if r := rateOf(slices.Repeat([]first{{schedule: none}}, 3)); r.found != 0 || r.mean != 3*explore.BlockSize {
		t.Errorf("nothing found: %+v", r)
	}
}

func TestUsage(t *testing.T) {
	for args, want := range map[string]string{
		"-seeds 0":            "must be at least 1",
		"-strategies clever":  `there is no strategy "clever"`,
		"-bugs nothing":       `no bug is called "nothing"`,
		"something":           `unexpected argument "something"`,
		"-seeds many":         `invalid value "many"`,
		"-blocks -o page.md":  "leave out -o",
		"-strategies random,": `there is no strategy ""`,
	} {
		if err := run(t.Context(), strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// TestTogether: the pages say which faults only one scenario has together, as the scenarios
// are now.
func TestTogether(t *testing.T) {
	for _, name := range []string{"search-faults", "search-storm"} {
		path := "../../docs/" + name + ".md"
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		made := regexp.MustCompile(`-bugs ([a-z,-]+)`).FindSubmatch(page[bytes.LastIndex(page, []byte("\nMade with ")):])
		if made == nil {
			t.Fatalf("%s does not say of which bugs it is", path)
		}
		chosen, err := choose(string(made[1]))
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, p := range chosen {
			ids = append(ids, p.scenario)
		}
		golden.Part(t, path, togetherBegins, togetherEnds, together(ids))
	}
}
