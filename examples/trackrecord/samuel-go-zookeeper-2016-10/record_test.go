package zookeeper_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/zookeeper"
)

// TestTrackRecord: the failure of the version before (#145) is repaired.
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, newLock, locktest.On(zookeeper.Store), locktest.Ownership(queue),
		locktest.Only("contention"), locktest.Properties("busy-wait"))
}
