package etcd_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/etcd"
	"github.com/lockpick-dev/lockpick/locktest"
)

// TestTrackRecord: the failure of version 3.4.3 (#11456) is repaired.
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, newLock, locktest.On(etcd.Store), locktest.Ownership(first),
		locktest.Only("gc-pause"), locktest.Properties("truthful-acquire"))
}
