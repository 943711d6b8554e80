package clientgo_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/kube"
	"github.com/lockpick-dev/lockpick/locktest"
)

// TestTrackRecord: a leader that was paused releases the Lease of its successor, as with v0.36.2.
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, newLock, locktest.On(kube.Store), locktest.Ownership(kube.Holder("default")), locktest.Renews(), locktest.Runs(300),
		locktest.Only("gc-pause"), locktest.Properties("owner-only-release"), locktest.Expect("gc-pause", "owner-only-release"))
}
