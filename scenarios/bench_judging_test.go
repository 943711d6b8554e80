package scenarios_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/histories"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
)

// BenchmarkJudging is what an operation costs to judge by each property, in histories of 1,000 to 64,000 operations
// in which faults strike all the time and the property has something to judge: a run of a lock in a scenario, as many times. The
// ratio is of the price of an operation in the longest to that in the shortest.
func BenchmarkJudging(b *testing.B) {
	for _, p := range checker.Properties() {
		b.Run(p.ID, func(b *testing.B) {
			c, run := atWork(p.ID)
			if run == nil {
				b.Skip("no run of the built-in locks has it at work, and holds")
			}
			sizes := []int{1_000, 16_000, 64_000}
			long := make([]*model.History, len(sizes))
			for i, n := range sizes {
				long[i] = histories.Repeated(run, (n+len(run.Operations)-1)/len(run.Operations))
			}
			price := make([]timings, len(sizes))
			for b.Loop() {
				for i, h := range long {
					price[i].time(func() { judged(b, c, h, p.ID) })
				}
			}
			per := func(i int) float64 { return price[i].median() / float64(len(long[i].Operations)) }
			for i, n := range sizes {
				b.ReportMetric(per(i), fmt.Sprintf("ns/operation-of-%d", n))
			}
			b.ReportMetric(per(len(sizes)-1)/per(0), "ratio")
			b.ReportMetric(float64(long[len(sizes)-1].End.Seq), "events")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// judged judges a long history. One that was found to violate the property early on would cost nothing.
func judged(tb testing.TB, c cell.Cell, h *model.History, property string) {
	if v := checker.Check(h, c.Judging(), property)[0]; v.Status != model.Holds {
		tb.Errorf("%s under %s: %s is %s: %s", c.Lock.ID, c.Scenario.ID, property, v.Status, v.Sentence)
	}
}

// atWork finds a run in which a fault strikes, and of which the property says that it holds: also of that run twice.
func atWork(property string) (c cell.Cell, run *model.History) {
	for _, s := range scenarios.All() {
		for _, l := range builtin.Locks() {
			c, err := scenarios.Registry(builtin.Locks()).Cell(s.ID, l.ID, nil)
			if err != nil || !slices.Contains(c.Judged(), property) {
				continue
			}
			for schedule := range 6 {
				out := c.Run(explore.Run{Tape: explore.Random(1, schedule), Record: true})
				if out.Failure != nil {
					continue
				}
				h := &out.Recording.History
				if h.Cut == "" && struck(h) && allHolds(c, h, property) && allHolds(c, histories.Repeated(h, 3), property) {
					return c, h
				}
			}
		}
	}
	return c, nil
}

func allHolds(c cell.Cell, h *model.History, property string) bool {
	return checker.Check(h, c.Judging(), property)[0].Status == model.Holds
}

// struck reports whether some fault has struck.
func struck(h *model.History) bool {
	return slices.ContainsFunc(h.Observations, func(o model.Observation) bool {
		return slices.Contains([]model.ObservationKind{
			model.Paused, model.Crashed, model.Delayed, model.Parted, model.ReplyLost, model.ClockJumped, model.Closed,
		}, o.Kind)
	})
}

// TestRepeated: what holds of a run holds of it many times over, and what is violated is.
func TestRepeated(t *testing.T) {
	c := cells.Of(t, "gc-pause", "setpx")
	found := map[model.Status]bool{}
	for schedule := range 60 {
		out := c.Run(explore.Run{Tape: explore.Random(1, schedule), Record: true})
		h := &out.Recording.History
		many := histories.Repeated(h, 20)
		if n := 20 * len(h.Operations); len(many.Operations) != n || many.Operations[n-1].ID != n || many.End.At < 20*h.End.At {
			t.Fatalf("%d operations, the last is %d, until %v", len(many.Operations), many.Operations[n-1].ID, many.End.At)
		}
		for _, p := range []string{checker.MutualExclusion, checker.LeaseHonesty, checker.TruthfulRelease, checker.NoOrphan} {
			one, all := checker.Check(h, c.Judging(), p)[0], checker.Check(many, c.Judging(), p)[0]
			if one.Status != all.Status || one.Cause != all.Cause || one.Limit != all.Limit {
				t.Errorf("schedule %d: %s is %s (%s), and many times over %s (%s: %s)", schedule, p, one.Status, one.Cause, all.Status, all.Cause, all.Sentence)
			}
			found[one.Status] = true
		}
	}
	if !found[model.Holds] || !found[model.Violated] {
		t.Error("too few verdicts: ", found)
	}
}
