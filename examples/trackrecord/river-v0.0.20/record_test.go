package elector_test

import (
	"slices"
	"testing"

	adapter "github.com/riverqueue/river/lockpick"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/locktest"
)

// TestTrackRecord: a term is as long as the time until the leader asks for the next, so that it has always just ended
// when the leader asks (#217, #219). Another client that tries in between is elected, while the first still leads.
func TestTrackRecord(t *testing.T) {
	r := locktest.Explore(t, adapter.NewLock, locktest.On(adapter.Table), locktest.Ownership(adapter.Leader), locktest.Renews(), locktest.Only("contention"), locktest.Properties(checker.MutualExclusion), locktest.Runs(300))
	if !slices.ContainsFunc(r.Findings, func(f locktest.Finding) bool { return f.Property == checker.MutualExclusion && !f.Limit }) {
		t.Error("there are never two leaders")
	}
}

// TestRepaired: what version 0.0.18 does wrong is repaired (#197): a leader who was paused notices that another was elected.
func TestRepaired(t *testing.T) { locktest.CheckProgram(t, adapter.Leading, locktest.Only("gc-pause")) }
