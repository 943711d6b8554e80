package scenarios_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestSizes: what breaks in the third round, by a lease that is longer than it usually is, by readers that do not leave
// in the order in which they came, or between threads, is found, and not if runs have the usual size.
func TestSizes(t *testing.T) {
	for _, test := range []struct {
		scenario, lock string
		runs           int
	}{
		{"contention", "test-third-round", 100},
		{"gc-pause", "test-short-lease", 1000},
		{"contention", "test-last-reader", 200},
		{"contention", "test-one-session", 100},
	} {
		t.Run(test.lock, func(t *testing.T) {
			for _, found := range []bool{false, true} {
				sizes := "0"
				if found {
					sizes = "3"
				}
				first := firstFault(t, cells.Of(t, test.scenario, test.lock, "sizes", sizes), test.runs)
				if first >= 0 != found {
					t.Errorf("sizes=%s: the first schedule that shows it is %d", sizes, first)
				}
			}
		})
	}
}

// firstFault is the first random schedule with two holders at once as a fault, -1 if none of
// so many has.
func firstFault(t *testing.T, c cell.Cell, schedules int) int {
	t.Helper()
	for schedule := range schedules {
		out := c.Run(explore.Run{Tape: explore.Random(1, schedule)})
		if out.Failure != nil {
			t.Fatal(out.Failure.Reason)
		}
		if slices.ContainsFunc(out.Verdicts, func(v model.Verdict) bool {
			return (v.Property == checker.MutualExclusion || v.Property == checker.Linearizable) && v.Status == model.Violated && !v.Limit
		}) {
			return schedule
		}
	}
	return -1
}

// TestSizesDescribed: a run that is larger than usual is so by decisions, which are described, and has its
// own bounds.
func TestSizesDescribed(t *testing.T) {
	c := cells.Of(t, "watchdog-late", "watchdog", "ttl", "2s", "long-holds", "0")
	choice := func(kind sim.Kind, option, n int) sim.Choice {
		return sim.Choice{Kind: kind, Actor: sim.Conductor, Occurrence: n, Option: option}
	}
	usual := c.Run(explore.Run{Tape: sim.Calm{}, Record: true}).Recording
	for _, test := range []struct {
		choice sim.Choice
		text   string
		larger func(usual, now *model.History) bool
	}{
		{choice("size:rounds", 1, 0), "each client goes through 3 rounds and not 2", func(usual, now *model.History) bool {
			return acquires(usual) == 4 && acquires(now) == 6
		}},
		{choice("size:lease", 1, 0), "leases, holds and faults last 4 times as long", func(usual, now *model.History) bool {
			return usual.TTL == 2*time.Second && now.TTL == 8*time.Second
		}},
		{choice("size:holds", 3, 1), "c2 holds the lock for 150 % of a lease longer", func(usual, now *model.History) bool {
			return longest(usual) < usual.TTL && longest(now) > now.TTL*3/2
		}},
		{choice("size:threads", 1, 0), "each client process has 2 threads", func(usual, now *model.History) bool {
			return acquires(now) == 2*acquires(usual)
		}},
		{choice("size:stays", 3, 1), "c2 works for 70 % of a lease between reading and writing", func(usual, now *model.History) bool {
			return longest(usual) < usual.TTL/2 && longest(now) > now.TTL*7/10
		}},
		{choice("size:stays", 1, 0), "c1 works for 2 % of a lease between reading and writing", func(usual, now *model.History) bool {
			return now.End.At < usual.End.At
		}},
	} {
		now := c.Run(explore.Run{Tape: explore.NewLenient([]sim.Choice{test.choice}), Record: true}).Recording
		if !test.larger(&usual.History, &now.History) {
			t.Errorf("%s makes no difference", test.choice.ID())
		}
		if text, _ := c.DeviationText(now, test.choice); text != test.text {
			t.Errorf("%s is described as %q", test.choice.ID(), text)
		}
	}
}

// acquires is how often the lock was acquired.
func acquires(h *model.History) (n int) {
	for i := range h.Operations {
		if op := &h.Operations[i]; op.Kind == model.Acquire && op.Result == model.OK {
			n++
		}
	}
	return n
}

// longest is the longest time for which a client claims the lock.
func longest(h *model.History) (most time.Duration) {
	for _, c := range model.Claims(h) {
		most = max(most, c.Stop.At-c.Start.At)
	}
	return most
}

// TestSmallerSizes: shrinking never lets the lease vary where it did not.
func TestSmallerSizes(t *testing.T) {
	for from, want := range map[string]string{"1": "0 1", "2": "0 2", "3": "0 3", "4": "0 4"} {
		c := cells.Of(t, "gc-pause", "setpx", "sizes", from)
		var sizes []string
		for _, raw := range smaller(t, c.Encode()) {
			next, err := known.Decode(raw)
			if err != nil {
				t.Fatal(err)
			}
			sizes = append(sizes, strconv.Itoa(next.Params.Sizes))
		}
		slices.Sort(sizes)
		if got := strings.Join(slices.Compact(sizes), " "); got != want {
			t.Errorf("sizes=%s becomes %s, want %s", from, got, want)
		}
	}
}

// TestPermitsOfTheDead: as many clients may crash as there are permits, and one more waits: what leaks a permit with each of
// the dead shows when none is left.
func TestPermitsOfTheDead(t *testing.T) {
	c := cells.Of(t, "holder-crash", "test-permits-of-the-dead")
	if p := c.Params; p.Faults.Of(faults.Crashes) != 2 || p.Clients != 3 {
		t.Fatalf("of %d clients %d may crash", p.Clients, p.Faults.Of(faults.Crashes))
	}
	starves := func(c cell.Cell, schedules int) bool {
		for schedule := range schedules {
			if slices.ContainsFunc(c.Run(explore.Run{Tape: explore.Random(1, schedule)}).Verdicts, func(v model.Verdict) bool {
				return v.Property == checker.Progress && v.Status == model.Violated
			}) {
				return true
			}
		}
		return false
	}
	if !starves(c, 200) {
		t.Error("nobody starves")
	}
	if starves(cells.Of(t, "holder-crash", "test-permits-of-the-dead", "crashes", "1"), 50) {
		t.Error("a client starves although a permit is left")
	}
	if n := cells.Of(t, "holder-crash", "setpx").Params.Faults.Of(faults.Crashes); n != 1 {
		t.Errorf("%d clients with a mutex may crash", n)
	}
}
