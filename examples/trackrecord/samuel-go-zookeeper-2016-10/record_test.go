package zookeeper_test

import (
	"testing"

	adapter "github.com/lockpick-dev/lockpick/examples/trackrecord/samuel-go-zookeeper-2016-09"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/zookeeper"
)

// TestTrackRecord: the failure of the version before (#145) is repaired.
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, adapter.NewLock, locktest.On(zookeeper.Store), locktest.Ownership(adapter.Queue),
		locktest.Only("contention"), locktest.Properties("busy-wait"))
}
