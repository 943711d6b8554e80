package etcd_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/etcd"
	"github.com/lockpick-dev/lockpick/scenarios"
)

// TestTrackRecord: the failure of version 3.4.3 (#11456) is repaired.
func TestTrackRecord(t *testing.T) {
	scenarios.Check(t, newLock, scenarios.On(etcd.Store), scenarios.Ownership(first),
		scenarios.Only("gc-pause"), scenarios.Properties("truthful-acquire"))
}
