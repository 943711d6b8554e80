package pglock_test

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/locktest"
)

// TestTrackRecord: a heartbeat fails, with the connection. There are no more of them, and IsReleased says for ever that
// the lock is held, also when another has it. The next version says that it is lost.
func TestTrackRecord(t *testing.T) {
	r := locktest.Explore(t, newLock, locktest.On(table), locktest.Ownership(row), locktest.Renews(), locktest.Only("lost-reply"), locktest.Properties(checker.MutualExclusion), locktest.Runs(300))
	if !slices.ContainsFunc(r.Findings, func(f locktest.Finding) bool { return f.Property == checker.MutualExclusion && !f.Limit }) {
		t.Error("whoever has lost the lock is told")
	}
}
