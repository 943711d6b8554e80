package zookeeper_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/zookeeper"
)

// queue is how it is read who has the lock: the first znode in its directory.
var queue = model.SequenceOwnership{Prefix: "/" + cell.LockName + "/"}

// TestTrackRecord has three failures of zk.Lock.
func TestTrackRecord(t *testing.T) {
	for _, e := range []struct {
		name               string
		newLock            cell.NewLock
		scenario, property string
	}{
		// A waiter's session ends while its process is stopped. Its request for the children
		// is queued until the client has a new session. Its own znode is not among them, which
		// Lock does not check: no other is lower, so it returns as if it had the lock.
		{"double grant", newLock, "gc-pause", "truthful-acquire"},
		// An error after Lock has created its znode leaves it there, and the client's next Lock
		// waits behind it for as long as the session lasts.
		{"orphan", newLock, "lost-reply", "no-orphan"},
		// Unlock keeps the name of its znode when it fails. After the session has ended it
		// answers for ever that there is no such znode, and Lock that it is locked already.
		{"dead Unlock", newKeptLock, "server-clock-jump", "progress"},
	} {
		t.Run(e.name, func(t *testing.T) {
			locktest.Check(t, e.newLock, locktest.On(zookeeper.Store), locktest.Ownership(queue),
				locktest.Only(e.scenario), locktest.Properties(e.property), locktest.Expect(e.scenario, e.property))
		})
	}
}

// TestNoDeadUnlock: who makes a zk.Lock for each acquisition has no dead Unlock.
func TestNoDeadUnlock(t *testing.T) {
	locktest.Check(t, newLock, locktest.On(zookeeper.Store), locktest.Ownership(queue),
		locktest.Only("server-clock-jump"), locktest.Properties("progress"))
}
