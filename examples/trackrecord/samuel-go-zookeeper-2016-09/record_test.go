package zookeeper_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/zookeeper"
)

// TestTrackRecord: a waiter does not see a predecessor with the sequence number 0. It asks
// for a znode without a name, is told that there is none, and asks again at once, until the
// lock is free (#145). The next version repaired it.
func TestTrackRecord(t *testing.T) {
	scenarios.Check(t, newLock, scenarios.On(zookeeper.Store), scenarios.Ownership(queue),
		scenarios.Only("contention"), scenarios.Properties("busy-wait"),
		scenarios.Expect("contention", "busy-wait"))
}
