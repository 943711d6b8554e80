package etcd_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/etcd"
)

// TestTrackRecord: Lock waits until the keys before its own are gone, and does not look whether
// its own is there. It returns without an error when its lease has ended while it waited, and
// another client has the lock (#11456). Version 3.5.0 repaired it.
func TestTrackRecord(t *testing.T) {
	scenarios.Check(t, newLock, scenarios.On(etcd.Store), scenarios.Ownership(first),
		scenarios.Only("gc-pause"), scenarios.Properties("truthful-acquire"),
		scenarios.Expect("gc-pause", "truthful-acquire"))
}
