package migrate_test

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/locktest"
)

// TestTrackRecord: CREATE INDEX CONCURRENTLY waits for every transaction that may have an older snapshot, and the tool
// waits for its advisory lock in a statement, which has one: a deadlock, which PostgreSQL ends (#960). No version has
// repaired it.
func TestTrackRecord(t *testing.T) {
	r := locktest.ExploreProgram(t, migrating, locktest.Only("contention"), locktest.Runs(300))
	if !slices.ContainsFunc(r.Findings, func(f locktest.Finding) bool {
		return f.Property == "a-process-that-waits-for-the-migrations-of-another-does-not-fail"
	}) {
		t.Error("nobody fails")
	}
}
