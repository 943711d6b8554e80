package scenarios_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// soundLeases keep every promise that a lease can keep.
var soundLeases = []string{"test-lease", "test-lease-subscribed", "test-hash"}

// TestSoundLeases searches every scenario with locks that are sound: nothing
// may be found but the limits of leases.
func TestSoundLeases(t *testing.T) {
	schedules := 1000
	switch {
	case cells.Long():
		schedules = 100_000
	case testing.Short():
		schedules = 40
	}
	for _, s := range scenarios.All() {
		for _, l := range soundLeases {
			c := cells.Of(t, s.ID, l)
			if !cells.Sampled(s.ID+"/"+l, 12) || c.Lacks() != "" {
				continue
			}
			t.Run(s.ID+"/"+l, func(t *testing.T) {
				t.Parallel()
				searchNever(t, c, 1, schedules, onlyLimits)
			})
		}
	}
}

// TestBrokenLeases searches for what each broken lease must be caught at, and
// shows that the sound one is not.
func TestBrokenLeases(t *testing.T) {
	for _, e := range []struct{ scenario, lock, property string }{
		{"gc-pause", "test-lease", checker.Overrun},
		{"two-step-release", "test-lease-counts-late", checker.LeaseHonesty},
		{"gc-pause", "test-lease-lies-in-release", checker.TruthfulRelease},
		{"gc-pause", "test-lease-lies-in-extend", checker.TruthfulExtend},
		{"gc-pause", "test-lease-extends-anew", checker.TruthfulExtend},
		{"cancel", "test-lease-dead-context", checker.NoOrphan},
		{"cancel", "test-lease-no-clean-up", checker.NoOrphan},
		{"cancel", "test-lease-ignores-context", checker.PromptCancel},
		{"contention", "test-lease-sleeps", checker.BoundedWakeup},
	} {
		t.Run(e.property+"/"+e.lock, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(cells.Seeds(5)) {
				t.Logf("seed %d: schedule %d", seed+1, firstOf(t, cells.Of(t, e.scenario, e.lock), seed+1, e.property))
			}
		})
	}
}

// TestWeakProperties looks for what is judged only if it is named.
func TestWeakProperties(t *testing.T) {
	for _, e := range []struct{ scenario, lock, property string }{
		{"contention", "test-lease-denies-release", checker.ReleaseDenied},
		{"two-step-release", "test-lease", checker.LateOrphan},
	} {
		t.Run(e.property, func(t *testing.T) {
			t.Parallel()
			c := cells.Of(t, e.scenario, e.lock)
			if slices.Contains(c.Judged(), e.property) {
				t.Error("it is judged without being named")
			}
			for schedule := range 3000 {
				out := c.Run(explore.Run{Tape: explore.Random(1, schedule), Record: true})
				v := checker.Check(&out.Recording.History, c.Judging(), e.property)[0]
				if v.Status == "violated" {
					t.Log(strconv.Itoa(schedule) + ": " + v.Sentence)
					return
				}
			}
			t.Error("not found")
		})
	}
}
