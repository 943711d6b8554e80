package adapter_test

import (
	"slices"
	"testing"

	adapter "github.com/riverqueue/river/lockpick"

	"github.com/lockpick-dev/lockpick/locktest"
)

// TestTrackRecord: a leader is paused, and another is elected meanwhile. The re-election of the former compares the id
// that it proposes with itself, so it succeeds: it extends the term of the other, and the elector believes that it
// leads, for ever (#197). Version 0.0.20 compares with the row.
func TestTrackRecord(t *testing.T) {
	r := locktest.ExploreProgram(t, adapter.Leading, locktest.Only("gc-pause"), locktest.Runs(300))
	if !slices.ContainsFunc(r.Findings, func(f locktest.Finding) bool {
		return f.Property == "a-leader-notices-by-its-next-election-that-another-was-elected"
	}) {
		t.Error("everybody notices that another leads")
	}
}
