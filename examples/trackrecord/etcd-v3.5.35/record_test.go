package etcd_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/etcd"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
)

// TestTrackRecord: the answer to Lock's transaction is lost, and Unlock deletes the key. Since
// v3.6 it does not.
func TestTrackRecord(t *testing.T) {
	scenarios.Check(t, newProgram, scenarios.On(etcd.Store), scenarios.Ownership(model.SequenceOwnership{Prefix: "/" + scenarios.LockName + "/", ByRevision: true}),
		scenarios.Only("lost-reply"), scenarios.Properties("no-orphan", "progress"))
}
