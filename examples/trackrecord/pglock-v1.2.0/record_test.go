package pglock_test

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/locktest"
)

// TestTrackRecord: a heartbeat that has succeeded returns an error that wraps nil, so the first is the last. Whoever holds
// the lock for longer than a lease after it loses it, and is not told. The next version repaired it.
func TestTrackRecord(t *testing.T) {
	r := locktest.Explore(t, newLock, locktest.On(table), locktest.Ownership(row), locktest.Renews(), locktest.Only("contention"), locktest.Properties(checker.MutualExclusion), locktest.Runs(300))
	if !slices.ContainsFunc(r.Findings, func(f locktest.Finding) bool { return f.Property == checker.MutualExclusion && !f.Limit }) {
		t.Error("nobody loses the lock")
	}
}
