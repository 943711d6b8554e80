package adapter_test

import (
	"slices"
	"testing"

	adapter "github.com/lockpick-dev/lockpick/examples/trackrecord/goose-v3.30.0"
	"github.com/lockpick-dev/lockpick/locktest"
)

// TestTrackRecord: the locker counts the tries of all calls together. When they are used up, a call fails at its first
// look, for as long as the program runs (#1173). The next version counts them for each call.
func TestTrackRecord(t *testing.T) {
	r := locktest.ExploreProgram(t, adapter.Locking, locktest.Only("contention"), locktest.Runs(300))
	if !slices.ContainsFunc(r.Findings, func(f locktest.Finding) bool {
		return f.Property == "a-locked-lock-is-waited-for-until-the-time-out"
	}) {
		t.Error("every call waits")
	}
}
