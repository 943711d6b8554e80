package scenarios_test

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// fixed is a tape that answers some decisions as given, by their kind: each
// option of the other tape's becomes what the function makes of it.
type fixed struct {
	sim.Tape
	option map[sim.Kind]func(int) int
}

func (f fixed) Choose(d sim.Decision) int {
	option := f.Tape.Choose(d)
	if change := f.option[d.Kind]; change != nil {
		return change(option)
	}
	return option
}

func always(n int) func(int) int { return func(int) int { return n } }

// searched runs random schedules of a cell in which some decisions are fixed,
// until f has seen enough.
func searched(t *testing.T, c cell.Cell, schedules int, option map[sim.Kind]func(int) int, f func(explore.Outcome) (enough bool)) {
	t.Helper()
	for n := range schedules {
		out := c.Run(explore.Run{Tape: fixed{explore.Random(1, n), option}, Record: true})
		if out.Failure != nil {
			t.Fatalf("schedule %d: %v\n%s", n, out.Failure, out.Failure.Stack)
		}
		if f(out) {
			return
		}
	}
}

func violates(out explore.Outcome, property string) bool {
	return slices.ContainsFunc(out.Verdicts, func(v model.Verdict) bool {
		return v.Property == property && v.Status == model.Violated
	})
}

// TestSplitBrain: without a promotion, a partition that is shorter than a lease
// does no harm, but that a late answer may be taken for the lock. With one it does:
// both sides have a primary.
func TestSplitBrain(t *testing.T) {
	c := cells.Of(t, "partition", "setpx")
	const short = 0
	schedules := 300
	if testing.Short() {
		schedules = 100
	}
	searched(t, c, schedules, map[sim.Kind]func(int) int{
		"fault:partition-lasts": always(short), "fault:partition-promotes": always(0),
	}, func(out explore.Outcome) bool {
		for _, v := range out.Verdicts {
			if v.Status == model.Violated && v.Property != checker.TruthfulAcquire {
				t.Errorf("without a promotion: %s: %s", v.Property, v.Sentence)
			}
		}
		return false
	})
	broken, both := 0, 0
	searched(t, c, budget, map[sim.Kind]func(int) int{
		"fault:partition-lasts": always(short), "fault:partition-promotes": always(1),
	}, func(out explore.Outcome) bool {
		if violates(out, checker.MutualExclusion) {
			broken++
			if !slices.ContainsFunc(out.Recording.History.Observations, func(o model.Observation) bool { return o.Kind == model.Promoted }) {
				t.Error("violated, though nobody was promoted")
			}
		}
		if bothServe(&out.Recording.History) {
			both++
		}
		return broken > 0 && both > 0
	})
	if broken == 0 || both == 0 {
		t.Errorf("%d times two held the lock, %d times two primaries gave it away within a partition", broken, both)
	}
}

// bothServe reports whether two primaries gave the lock away while the network
// was parted.
func bothServe(h *model.History) bool {
	parted, nodes := false, map[string]bool{}
	for _, o := range h.Observations {
		switch {
		case o.Kind == model.Parted || o.Kind == model.United:
			parted = o.Kind == model.Parted
			if len(nodes) > 1 {
				return true
			}
			clear(nodes)
		case parted && o.Authority != "" && o.Key == h.LockName && o.Kind == model.RecordCreated:
			nodes[o.Node] = true
		}
	}
	return len(nodes) > 1
}

// TestPromotionAfterPartition: a partition that is over before the promotion that it has begun is followed by the
// promotion all the same, and the old primary becomes a follower after that. Another fault may strike then, and not
// before.
func TestPromotionAfterPartition(t *testing.T) {
	slowtest.SkipIfShort(t)
	c := cells.Of(t, "partition", "setpx-ring", "partitions", "3", "failovers", "2", "rounds", "4")
	late, followed := 0, 0
	searched(t, c, 200, map[sim.Kind]func(int) int{
		"fault:partition-lasts": always(5), "fault:partition-promotes": always(1), // 47.5 ms, and the promotion comes after 50
	}, func(out explore.Outcome) bool {
		promoted := ""
		united := false
		for _, o := range out.Recording.History.Observations {
			switch {
			case o.Kind == model.Parted || o.Kind == model.United:
				united = o.Kind == model.United
			case o.Kind == model.Promoted && united:
				late++
				promoted = o.Node
			case o.Kind == model.Returned && promoted != "" && o.Node != promoted:
				followed++
				promoted = ""
			}
		}
		return false
	})
	if late < 20 || followed < late/2 {
		t.Errorf("%d promotions after a partition, after %d of which the old primary followed", late, followed)
	}
}
