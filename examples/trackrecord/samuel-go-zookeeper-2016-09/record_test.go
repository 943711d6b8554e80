package adapter_test

import (
	"testing"

	adapter "github.com/lockpick-dev/lockpick/examples/trackrecord/samuel-go-zookeeper-2016-09"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/zookeeper"
)

// TestTrackRecord: a waiter does not see a predecessor with the sequence number 0. It asks
// for a znode without a name, is told that there is none, and asks again at once, until the
// lock is free (#145). The next version repaired it.
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, adapter.NewLock, locktest.On(zookeeper.Store), locktest.Ownership(adapter.Queue),
		locktest.Only("contention"), locktest.Properties("busy-wait"),
		locktest.Expect("contention", "busy-wait"))
}
