package main

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// broken are the programs as people write them, each with a scenario that shows what is wrong, and the
// rule that is broken. Cache is none of them: there is nothing to repair.
var broken = []struct {
	program        cell.Program
	scenario, rule string
}{
	{remind(false), "gc-pause", "no-reminder-is-sent-twice"},
	{sell(false), "gc-pause", "what-finally-asks-holds-at-the-end"},
	{control(false), "session-expiry", "no-leader-writes-after-a-newer-one"},
	{move(false), "holder-crash", "what-finally-asks-holds-at-the-end"},
	{serve(false), "holder-crash", "no-count-is-lost"},
}

// TestBroken finds each, with 20 of 20 seeds in the long run, and with one otherwise.
func TestBroken(t *testing.T) {
	seeds := 1
	if n, err := strconv.Atoi(os.Getenv("LOCKPICK_SEEDS")); err == nil {
		seeds = n
	}
	for _, b := range broken {
		for seed := range seeds {
			t.Run(b.program.ID+"/"+strconv.Itoa(seed+1), func(t *testing.T) {
				r := locktest.ExploreProgram(t, b.program, locktest.Only(b.scenario), locktest.Seed(uint64(seed+1)), locktest.Runs(locktest.DefaultRuns))
				if !slices.ContainsFunc(r.Findings, func(f locktest.Finding) bool { return f.Property == b.rule }) {
					t.Errorf("%s is not found to be broken under %s", b.rule, b.scenario)
				}
			})
		}
	}
}

// TestRepaired is silent in every scenario whose faults the repaired program bears. What it does not
// bear is said: a Redis that loses what it had acknowledged, for those that count in it.
func TestRepaired(t *testing.T) {
	forgetful := []string{"failover-loss", "partition", "node-restart", "storm", "lost-wakeup"}
	for _, r := range []struct {
		program cell.Program
		but     []string
	}{
		{remind(true), nil},
		{sell(true), nil},
		{control(true), nil},
		{fill(), forgetful},
		{move(true), nil},
		{serve(true), forgetful},
	} {
		t.Run(r.program.ID, func(t *testing.T) {
			var options []locktest.Option
			if r.but != nil {
				options = append(options, locktest.Only(without(r.but)...))
			}
			locktest.CheckProgram(t, r.program, options...)
		})
	}
}

// without are the scenarios that are left.
func without(but []string) (ids []string) {
	all := strings.Fields("contention gc-pause two-step-release holder-crash clock-skew server-clock-jump lost-reply late-reply late-request hung-node watchdog-late session-expiry")
	return slices.DeleteFunc(all, func(id string) bool { return slices.Contains(but, id) })
}

// TestRunsRepeat makes runs of the storm twice: the same tape gives the same run.
func TestRunsRepeat(t *testing.T) {
	for _, p := range all {
		for _, one := range append([]cell.Program{p}, p.Variants...) {
			t.Run(one.ID, func(t *testing.T) {
				l, err := one.Lock()
				if err != nil {
					t.Fatal(err)
				}
				c, err := scenarios.Registry([]cell.Lock{l}).Cell(scenarios.Storm, l.ID, nil)
				if err != nil {
					t.Fatal(err)
				}
				for n := range 40 {
					run := func() explore.Outcome { return c.Run(explore.Run{Tape: explore.Random(1, n), Record: true}) }
					if a, b := run(), run(); a.Hash != b.Hash {
						t.Errorf("schedule %d differs: %s", n, explore.FirstDifference(a.Recording, b.Recording))
					}
				}
			})
		}
	}
}
