package pglock_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/locktest"
)

// TestTrackRecord: what the versions 1.2.0 and 1.8.0 do wrong is repaired.
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, newLock, locktest.On(table), locktest.Ownership(row), locktest.Renews(), locktest.Only("contention", "lost-reply"), locktest.Properties(checker.MutualExclusion))
}
