package main

import (
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/lockpick-dev/lockpick/locktest"
)

// TestBroken: the job runs twice where the clocks of two instances differ, as gocron's documents say of its Locker. It is
// found with LOCKPICK_SEEDS seeds, with one by default.
func TestBroken(t *testing.T) {
	seeds := 1
	if n, err := strconv.Atoi(os.Getenv("LOCKPICK_SEEDS")); err == nil {
		seeds = n
	}
	for seed := range seeds {
		t.Run(strconv.Itoa(seed+1), func(t *testing.T) {
			r := locktest.ExploreProgram(t, report(false), locktest.Only("clock-skew"), locktest.Seed(uint64(seed+1)), locktest.Runs(64))
			if !slices.ContainsFunc(r.Findings, func(f locktest.Finding) bool { return f.Property == "no-report-is-sent-twice" }) {
				t.Error("no report is sent twice")
			}
		})
	}
}

// TestRepaired: a report that is noted first is sent once, also then, wherever Redis does not lose the note. A run takes longer
// than others, as Shutdown spins for a moment.
func TestRepaired(t *testing.T) {
	locktest.CheckProgram(t, report(true), locktest.Runs(32),
		locktest.Only("contention", "clock-skew", "gc-pause", "holder-crash", "server-clock-jump", "lost-reply", "late-request", "hung-node"))
}
