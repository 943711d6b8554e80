package etcd_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/etcd"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
)

// TestTrackRecord: the answer to Lock's transaction is lost, and Unlock deletes the key. Since
// v3.6 it does not.
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, newProgram, locktest.On(etcd.Store), locktest.Ownership(model.SequenceOwnership{Prefix: "/" + cell.LockName + "/", ByRevision: true}),
		locktest.Only("lost-reply"), locktest.Properties("no-orphan", "progress"))
}
