package clientgo_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/kube"
	"github.com/lockpick-dev/lockpick/locktest"
)

// TestTrackRecord: the renewal that the end of the context cancels was carried out, and its answer is on the way. The release
// has the version of the answer before, and is refused: others wait until the Lease ends (#131867). Version 0.36.2
// reads the Lease before it releases it.
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, newLock, locktest.On(kube.Store), locktest.Ownership(kube.Holder("default")), locktest.Renews(), locktest.Runs(300),
		locktest.Only("late-reply"), locktest.Properties("no-orphan"), locktest.Expect("late-reply", "no-orphan"))
}
