package clientgo_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/kube"
	"github.com/lockpick-dev/lockpick/locktest"
)

// TestTrackRecord: a candidate waits for as long as its own Lease would last, and not for as long as that of the leader, which
// has another configuration and renews more seldom (#114872). Version 0.33.2 looks how long the leader's lasts.
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, newLock, locktest.On(kube.Store), locktest.Ownership(kube.Holder("default")), locktest.Renews(), locktest.Runs(300),
		locktest.Only("contention"), locktest.Properties("mutual-exclusion"), locktest.Expect("contention", "mutual-exclusion"))
}
