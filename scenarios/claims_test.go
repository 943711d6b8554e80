package scenarios_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestClaimsEnd shows that a lease which knows its end does not claim the lock
// beyond it: with the very key and the very pauses that give setpx two
// holders, nobody believes in a lease that has run out. What is written in
// between a look at the lease and the access is another matter.
func TestClaimsEnd(t *testing.T) {
	schedules := 2000
	if testing.Short() {
		schedules = 200
	}
	c := cell(t, "gc-pause", "test-leased")
	ended := 0
	for schedule := range schedules {
		out := c.Run(explore.Run{Tape: explore.Random(3, schedule), Record: true})
		if out.Failure != nil {
			t.Fatal(out.Failure.Reason, out.Failure.Stack)
		}
		for _, v := range out.Verdicts {
			switch {
			case v.Property == checker.MutualExclusion && v.Status != model.Holds:
				t.Errorf("schedule %d: %s %s", schedule, v.Status, v.Sentence)
			case v.Property == checker.Linearizable && v.Status != model.NotApplicable:
				t.Errorf("schedule %d: a leased lock is held to the plain mutex: %s", schedule, v.Status)
			}
		}
		for _, op := range out.Recording.History.Operations {
			if op.Lost.Happened() {
				ended++
			}
		}
	}
	if ended == 0 {
		t.Error("vacuous: no lease ever ended before its release")
	}
}
