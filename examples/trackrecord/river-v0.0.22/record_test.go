package elector_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/locktest"
)

// TestTrackRecord: what version 0.0.20 does wrong is repaired (#217, #219).
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, newLock, locktest.On(table), locktest.Ownership(leader), locktest.Renews(), locktest.Only("contention"), locktest.Properties(checker.MutualExclusion))
}
