package elector_test

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/locktest"
)

// TestTrackRecord: a leader is paused, and another is elected meanwhile. The re-election of the former compares the id
// that it proposes with itself, so it succeeds: it extends the term of the other, and the elector believes that it
// leads, for ever. The next version compares with the row.
func TestTrackRecord(t *testing.T) {
	r := locktest.Explore(t, newLock, locktest.On(table), locktest.Ownership(leader), locktest.Renews(), locktest.Only("gc-pause"), locktest.Properties(checker.TimelyLoss), locktest.Runs(300))
	if !slices.ContainsFunc(r.Findings, func(f locktest.Finding) bool { return f.Property == checker.TimelyLoss && !f.Limit }) {
		t.Error("everybody notices that another leads")
	}
}
