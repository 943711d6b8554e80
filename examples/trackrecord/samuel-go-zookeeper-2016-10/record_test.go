package zookeeper_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/zookeeper"
)

// TestTrackRecord: the failure of the version before (#145) is repaired.
func TestTrackRecord(t *testing.T) {
	scenarios.Check(t, newLock, scenarios.On(zookeeper.Store), scenarios.Ownership(queue),
		scenarios.Only("contention"), scenarios.Properties("busy-wait"))
}
