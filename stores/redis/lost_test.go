package redis_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestLostSentinels: however many may be lost, a majority stays. Nobody hears of one that is lost, and whoever
// wants the lock gets it all the same.
func TestLostSentinels(t *testing.T) {
	slowtest.SkipIfShort(t)
	cells.WithOldestGoRedis(t, "newer versions never leave a sentinel that is gone")
	for _, fault := range []string{"absent-electors", "lost-electors"} {
		t.Run(fault, func(t *testing.T) {
			c := deployed(t, "failover-loss", "sentinel", traces.Parameter{Name: fault, Value: "4"})
			lost, promoted := 0, 0
			for n := range 120 {
				out := c.Run(explore.Run{Tape: explore.Random(1, n), Record: true})
				if out.Failure != nil {
					t.Fatalf("schedule %d: %s\n%s", n, out.Failure.Reason, out.Failure.Stack)
				}
				gone := goneFrom(t, out.Recording)
				lost += len(gone)
				if len(gone) > 1 {
					t.Errorf("schedule %d: %d of three sentinels are lost", n, len(gone))
				}
				for _, o := range out.Recording.History.Observations {
					if o.Kind == model.Promoted && o.Epoch > 0 && len(gone) > 0 {
						promoted++
					}
				}
				for _, v := range out.Verdicts {
					if v.Property == checker.Progress && v.Status == model.Violated {
						t.Errorf("schedule %d: %s", n, v.Sentence)
					}
				}
			}
			if lost == 0 || promoted == 0 {
				t.Errorf("%d sentinels were lost, and %d primaries promoted without one: want some of each", lost, promoted)
			}
		})
	}
}

// goneFrom are the sentinels that are lost in a run, each with the event after which nothing of it must
// arrive anywhere.
func goneFrom(t *testing.T, run *explore.Recording) map[string]int64 {
	t.Helper()
	gone := map[string]int64{}
	for _, o := range run.History.Observations {
		if o.Kind == model.Parted && len(o.Sides.A) == 1 && len(o.Sides.A[0]) > len("sentinel") {
			gone[o.Sides.A[0]] = o.Seq
		}
	}
	for _, e := range run.Events {
		if from, is := gone[e.Peer]; is && e.Kind == sim.EventDeliver && e.Seq > from {
			t.Errorf("event %d: %s hears of %s, which is lost", e.Seq, e.Actor, e.Peer)
		}
	}
	return gone
}

// TestNobodyToLose: the two faults strike where sentinels choose the primary, and say so elsewhere.
func TestNobodyToLose(t *testing.T) {
	for topology, strikes := range map[string]bool{"replicas": false, "sentinel": true, "cluster": false} { // unordered: each is judged alone
		for _, fault := range []string{"absent-electors", "lost-electors"} {
			lacks := deployed(t, "contention", topology, traces.Parameter{Name: fault, Value: "1"}).Lacks()
			if strikes != (lacks == "") {
				t.Errorf("%s with topology=%s: it says %q", fault, topology, lacks)
			}
		}
	}
}
