package scenarios_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestRunsRepeat runs schedules of every pair twice: the second time in
// another process, in reverse order, at another GOMAXPROCS.
func TestRunsRepeat(t *testing.T) {
	schedules := 200
	if testing.Short() {
		schedules = 10
	}
	everyPair(t, func(t *testing.T, scenario, lock string) {
		repeat(t, cells.Of(t, scenario, lock), schedules)
	})
}

// TestRunsRepeatUnderResets is the same with connections broken throughout.
func TestRunsRepeatUnderResets(t *testing.T) {
	schedules := 25
	if testing.Short() {
		schedules = 2
	}
	everyPair(t, func(t *testing.T, scenario, lock string) {
		c := cells.Of(t, scenario, lock, "resets", "60")
		struck := 0
		for schedule := range 10 {
			for _, e := range c.Run(explore.Run{Tape: explore.Random(1, schedule), Record: true}).Recording.Events {
				if e.Kind == sim.EventFault && e.Detail == "reset" {
					struck++
				}
			}
			if struck > 0 {
				break
			}
		}
		if struck == 0 {
			t.Error("vacuous: no connection was reset")
		}
		repeat(t, c, schedules)
	})
}

// TestRunsRepeatUnderEverything is the same with all that can strike striking
// together.
func TestRunsRepeatUnderEverything(t *testing.T) {
	schedules := 40
	switch {
	case testing.Short():
		schedules = 3
	case cells.Long():
		schedules = 600
	}
	for _, l := range cells.Locks() {
		switch l.ID {
		case "test-own-random", "test-panics", "test-refused", "test-stalls", "test-exhausts", "test-overflows", "test-localhost", "test-leaks", "test-leaks-unwoken":
			continue // which are there to be caught
		}
		if !cells.Sampled(l.ID, 4) {
			continue
		}
		t.Run(l.ID, func(t *testing.T) {
			t.Parallel()
			if l.ID == "test-quorum-retries" && cells.GoRedis() != cells.OldestGoRedis {
				t.Skip("docs/versions.md says why")
			}
			pauses := "1"
			if l.Needs.Servers > 1 && cells.GoRedis() != cells.OldestGoRedis {
				pauses = "0" // docs/versions.md says why
			}
			repeat(t, cells.Of(t, "contention", l.ID,
				"clients", "3", "replicas", "1", "failovers", "1", "pauses", pauses, "delays", "1", "resets", "2",
				"crashes", "1", "skews", "2", "clock-jumps", "2", "server-clock-jumps", "2",
				"lost-replies", "3", "late-replies", "2", "late-requests", "2", "hangs", "2"), schedules)
		})
	}
}

// TestRunsRepeatWhereManyFail is the same with a lock of which a dozen goroutines
// fail at one instant, and then draw from math/rand.
func TestRunsRepeatWhereManyFail(t *testing.T) {
	if cells.GoRedis() != cells.OldestGoRedis {
		t.Skip("newer versions wait for two things in one select: docs/versions.md says what comes of that")
	}
	for _, scenario := range []string{"partition", "hung-node", "gc-pause"} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			n := 30
			if testing.Short() {
				n = 8
			}
			repeat(t, cells.Of(t, scenario, "test-quorum-retries"), n)
		})
	}
}

// TestRunsRepeatInStep is the same with a lock whose threads try, and renew what they
// hold, at the same instants and by equal timers.
func TestRunsRepeatInStep(t *testing.T) {
	for scenario, holds := range map[string]string{"contention": "0", "hung-node": "0", "watchdog-late": "8"} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			repeat(t, cells.Of(t, scenario, "test-watchdog-in-step", "threads", "3", "long-holds", holds), 3)
		})
	}
}

// everyPair tests every scenario with the locks that are measured: they differ in
// what they ask of Redis; all of the others would take too long. With -short each
// scenario has one of them, in turn.
func everyPair(t *testing.T, f func(t *testing.T, scenario, lock string)) {
	for i, s := range scenarios.All() {
		for j, l := range measured {
			if testing.Short() && (i%len(measured) != j || s.ID == "storm" || s.ID == "lost-wakeup") {
				continue // the last two take as long as all others
			}
			t.Run(s.ID+"/"+l, func(t *testing.T) {
				t.Parallel()
				f(t, s.ID, l)
			})
		}
	}
}

func repeat(t *testing.T, c cell.Cell, schedules int) {
	t.Helper()
	differ, err := explore.Compare(t.Context(), cells.Worker(t, 1), cells.Worker(t, 2), c.Encode(), 1, schedules)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differ {
		t.Errorf("schedule %d: %s", d.Schedule, d.What)
	}
}
