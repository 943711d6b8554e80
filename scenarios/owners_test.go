package scenarios_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// ownership are the properties that go by whose the lock's key is.
var ownership = []string{checker.OwnerOnlyRelease, checker.TruthfulRelease, checker.TruthfulExtend, checker.NoOrphan}

// schedulesUntil runs schedules until one violates a property of those, and
// returns which, and how many it took; 0 if none did.
func schedulesUntil(t *testing.T, scenario, lock string, schedules int, properties ...string) (int, model.Verdict) {
	t.Helper()
	c := cells.Of(t, scenario, lock)
	c.Properties = properties
	for n := range schedules {
		out := c.Run(explore.Run{Tape: explore.Random(1, n)})
		if out.Failure != nil {
			t.Fatalf("schedule %d: %v\n%s", n, out.Failure, out.Failure.Stack)
		}
		for _, v := range out.Verdicts {
			if v.Status == model.Violated || v.Status == model.Undecided {
				return n + 1, v
			}
		}
	}
	return 0, model.Verdict{}
}

// TestOwnersSound: a lock that is handed over, or is a sorted set, or counts, is
// blamed for nothing, whether one can read who has it or not; nor is one whose
// Release tells that it could not be carried out.
func TestOwnersSound(t *testing.T) {
	faults := []string{"contention", "gc-pause", "cancel", "late-reply", "holder-crash", "two-step-release"}
	for lock, under := range map[string][]string{
		"test-handed":           faults,
		"test-handed-read":      faults,
		"test-handed-veiled":    faults,
		"test-sorted-set":       faults,
		"test-sorted-set-read":  faults,
		"test-counted":          {"contention", "gc-pause", "cancel"},
		"test-tells-of-failure": {"lost-reply", "hung-node"},
	} {
		for _, scenario := range under {
			t.Run(lock+"/"+scenario, func(t *testing.T) {
				t.Parallel()
				few := 12
				if lock == "test-tells-of-failure" {
					few = 40 // as many as show what test-hides-failure does
				}
				if n, v := schedulesUntil(t, scenario, lock, schedules(t, few, 5_000), ownership...); n > 0 {
					t.Errorf("schedule %d: %s: %s", n-1, v.Property, v.Sentence)
				}
			})
		}
	}
}

// TestOwnersBroken: what each lock with a flaw must be caught at.
func TestOwnersBroken(t *testing.T) {
	for _, e := range []struct{ scenario, lock, property string }{
		{"gc-pause", "test-handed-lies-in-release", checker.TruthfulRelease},
		{"cancel", "test-handed-blindly", checker.OwnerOnlyRelease},
		{"cancel", "test-sorted-set-deletes", checker.OwnerOnlyRelease},
		{"contention", "test-counted-too-high", checker.NoOrphan},
		{"lost-reply", "test-hides-failure", checker.NoOrphan},
		{"lost-reply", "test-tells-of-failure", checker.LateOrphan},
	} {
		t.Run(e.lock, func(t *testing.T) {
			t.Parallel()
			n, v := schedulesUntil(t, e.scenario, e.lock, 400, e.property)
			if n == 0 {
				t.Error("not found")
			}
			t.Logf("schedule %d: %s", n-1, v.Sentence)
		})
	}
}
