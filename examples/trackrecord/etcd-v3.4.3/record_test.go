package etcd_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/etcd/store"
	"github.com/lockpick-dev/lockpick/locktest"
)

// TestTrackRecord: Lock waits until the keys before its own are gone, and does not look whether
// its own is there. It returns without an error when its lease has ended while it waited, and
// another client has the lock (#11456). Version 3.5.0 repaired it.
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, newLock, locktest.On(etcd.Store), locktest.Ownership(first),
		locktest.Only("gc-pause"), locktest.Properties("truthful-acquire"),
		locktest.Expect("gc-pause", "truthful-acquire"))
}
