package clientgo_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/kube"
	"github.com/lockpick-dev/lockpick/locktest"
)

// TestTrackRecord: a leader that was paused releases the Lease of its successor, as in version 0.36.2. What that does wrong besides
// is repaired: a release that is refused is repeated (#137988).
func TestTrackRecord(t *testing.T) {
	t.Run("successor", func(t *testing.T) {
		record(t, "gc-pause", "owner-only-release", locktest.Runs(300), locktest.Expect("gc-pause", "owner-only-release"))
	})
	t.Run("good", func(t *testing.T) { record(t, "late-request", "no-orphan", locktest.Runs(8000)) })
}

// record searches an elector for one thing.
func record(t *testing.T, scenario, property string, more ...locktest.Option) {
	locktest.Check(t, newLock, append(more, locktest.On(kube.Store), locktest.Ownership(kube.Holder("default")), locktest.Renews(),
		locktest.Only(scenario), locktest.Properties(property))...)
}
