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
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestSizes: what breaks in the third round, or by a lease that is longer than it usually is,
// is found, and not if runs have the usual size.
func TestSizes(t *testing.T) {
	for _, test := range []struct {
		scenario, lock string
		runs           int
	}{
		{"contention", "test-third-round", 100},
		{"gc-pause", "test-short-lease", 1000},
	} {
		t.Run(test.lock, func(t *testing.T) {
			for _, found := range []bool{false, true} {
				sizes := "0"
				if found {
					sizes = "1"
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
			return v.Property == checker.MutualExclusion && v.Status == model.Violated && !v.Limit
		}) {
			return schedule
		}
	}
	return -1
}

// TestSizesTold: a run that is larger than usual is so by decisions, which are told, and has its
// own bounds.
func TestSizesTold(t *testing.T) {
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
	} {
		now := c.Run(explore.Run{Tape: explore.NewLenient([]sim.Choice{test.choice}), Record: true}).Recording
		if !test.larger(&usual.History, &now.History) {
			t.Errorf("%s makes no difference", test.choice.ID())
		}
		if text, _ := c.DeviationText(now, test.choice); text != test.text {
			t.Errorf("%s is told as %q", test.choice.ID(), text)
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
	for from, want := range map[string]string{"2": "0 2", "1": "0 1"} {
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
