package etcd_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/etcd"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
)

// TestTrackRecord: the answer to Lock's transaction is lost. Lock has not noted the revision of its key, so Unlock takes
// the lock for released, and the key stays for as long as the session. Until v3.5 Unlock deletes it.
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, newProgram, locktest.On(etcd.Store), locktest.Ownership(model.SequenceOwnership{Prefix: "/" + cell.LockName + "/", ByRevision: true}),
		locktest.Only("lost-reply"), locktest.Properties("no-orphan"), locktest.Expect("lost-reply", "no-orphan"))
}
