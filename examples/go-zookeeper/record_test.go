package zookeeper_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/zookeeper"
)

// queue is how it is read who has the lock: the first znode in its directory.
var queue = model.SequenceOwnership{Prefix: "/" + scenarios.LockName + "/"}

// TestTrackRecord: an error after Lock has created its znode leaves it there, and the client's next
// Lock waits behind it for as long as the session lasts. An Unlock that fails leaves it as well.
func TestTrackRecord(t *testing.T) {
	scenarios.Check(t, newLock, scenarios.On(zookeeper.Store), scenarios.Ownership(queue),
		scenarios.Only("lost-reply", "session-expiry"), scenarios.Properties("no-orphan", "progress"),
		scenarios.Expect("lost-reply", "no-orphan"), scenarios.Expect("lost-reply", "progress"), scenarios.Expect("session-expiry", "progress"))
}
