package redis_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/sim/simredis"
)

// TestStaleSlots: nodes of a Redis Cluster hear of a new owner each at its own time, and clients get an old one by a node that is behind,
// which the history has. No sound lock is blamed for what that leads to.
func TestStaleSlots(t *testing.T) {
	slowtest.SkipIfShort(t)
	all := 0
	for _, scenario := range []string{"migration", "partition"} {
		c := deployed(t, scenario, "cluster")
		stale := 0
		for n := range 600 {
			out := c.Run(explore.Run{Tape: explore.Random(1, n), Record: true})
			if out.Failure != nil {
				t.Fatalf("%s, schedule %d: %s\n%s", scenario, n, out.Failure.Reason, out.Failure.Stack)
			}
			shown := false
			for _, o := range out.Recording.History.Observations {
				if o.Event() != simredis.StaleSlots {
					continue
				}
				if shown = true; o.Owner.Client == "" || o.Note.Detail == "" {
					t.Errorf("%s, schedule %d: %+v", scenario, n, o)
				}
			}
			if shown {
				stale++
			}
			for _, v := range out.Verdicts {
				if v.Status == model.Violated && !v.Limit && !checker.Weak(v.Property) && v.Property != checker.TruthfulAcquire {
					t.Errorf("%s, schedule %d: %s: %s", scenario, n, v.Property, v.Sentence)
				}
			}
		}
		t.Logf("%s: clients got stale slots in %d of 600 schedules", scenario, stale)
		all += stale
	}
	if all == 0 {
		t.Error("no client got stale slots")
	}
}
