package scenarios_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestThreads: threads of one process exclude each other if the lock makes them,
// and it is told which of them has asked for what.
func TestThreads(t *testing.T) {
	slowtest.SkipIfShort(t)
	for _, scenario := range []string{"contention", "gc-pause", "failover-loss", "cancel", "lost-reply"} {
		for _, lock := range []string{"test-lease", "test-lease-subscribed", "test-hash"} {
			if !cells.Sampled(scenario+"/"+lock, 24) {
				continue
			}
			t.Run(scenario+"/"+lock, func(t *testing.T) {
				t.Parallel()
				c := cells.Of(t, scenario, lock, "clients", "2", "threads", "2", "rounds", "2")
				searchNever(t, c, 1, schedules(t, 300, 5000), onlyLimits)
			})
		}
	}
}

// schedules is how many there are, and how many in the long test.
func schedules(t *testing.T, n, inLong int) int {
	t.Helper()
	switch {
	case cells.Long():
		return inLong
	case testing.Short():
		return n / 8
	}
	return n
}

// TestThreadsShareTheirProcess: a lock that goes by processes does not keep the
// threads of one from each other, and nobody else.
func TestThreadsShareTheirProcess(t *testing.T) {
	const lock = "test-hash-of-process"
	apart := cells.Of(t, "contention", lock, "threads", "1")
	searchNever(t, apart, 1, schedules(t, 500, 20_000), onlyLimits)
	together := cells.Of(t, "contention", lock, "clients", "2", "threads", "2")
	if n := firstOf(t, together, 1, checker.MutualExclusion); n > 10 {
		t.Errorf("found as late as in schedule %d", n)
	}
}

// TestThreadsAreToldApart: what a thread writes is put down to its operation
// that was open then, also if it writes from a goroutine that it has started.
func TestThreadsAreToldApart(t *testing.T) {
	for _, lock := range []string{"setpx", "test-quorum"} {
		if testing.Short() && lock != "setpx" {
			continue
		}
		c := cells.Of(t, "contention", lock, "clients", "2", "threads", "3", "rounds", "2")
		created := 0
		for schedule := range schedules(t, 80, 80) {
			out := c.Run(explore.Run{Tape: explore.Random(1, schedule), Record: true})
			if out.Failure != nil {
				t.Fatal(out.Failure.Reason, out.Failure.Stack)
			}
			h := &out.Recording.History
			for i := range h.Observations {
				o := &h.Observations[i]
				if o.Kind != model.RecordCreated || o.Authority == "" {
					continue
				}
				created++
				x := h.Operation(o.Owner.Op)
				if x == nil || x.Kind != model.Acquire || o.Seq < x.Call.Seq || x.Return.Happened() && o.Seq > x.Return.Seq {
					t.Fatalf("%s, schedule %d: %s was written by %+v, which is %+v", lock, schedule, o.Key, o.Owner, x)
				}
			}
		}
		if created == 0 {
			t.Errorf("%s: no key was ever created", lock)
		}
	}
}

// TestOwnership: who can read the keys of a lock judges it as any other, and who
// cannot says so.
func TestOwnership(t *testing.T) {
	for _, e := range []struct{ scenario, lock, property string }{
		{"two-step-release", "test-hash-counts-late", checker.LeaseHonesty},
		{"gc-pause", "test-hash-lies-in-release", checker.TruthfulRelease},
		{"gc-pause", "test-hash-lies-in-extend", checker.TruthfulExtend},
		{"gc-pause", "test-hash-deletes", checker.OwnerOnlyRelease},
		{"cancel", "test-hash-no-clean-up", checker.NoOrphan},
		{"contention", "test-hash-sleeps", checker.BoundedWakeup},
	} {
		t.Run(e.property, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(cells.Seeds(3)) {
				firstOf(t, cells.Of(t, e.scenario, e.lock), seed+1, e.property)
			}
		})
	}
}

// TestRunsOfThreadsRepeat runs schedules twice in which threads of one process
// meet all that can strike.
func TestRunsOfThreadsRepeat(t *testing.T) {
	for _, lock := range []string{"setpx", "test-lease", "test-lease-subscribed", "test-hash", "test-quorum"} {
		t.Run(lock, func(t *testing.T) {
			if !cells.Sampled(lock, 3) {
				t.Skip("not in the sample of -short")
			}
			t.Parallel()
			pauses := "2"
			if lock == "test-quorum" {
				pauses = "0" // see [locktest.Threads]
			}
			repeat(t, cells.Of(t, "contention", lock, "clients", "2", "threads", "2", "rounds", "2", "replicas", "1",
				"failovers", "1", "pauses", pauses, "delays", "1", "resets", "3", "lost-replies", "2", "late-replies", "1", "hangs", "1"),
				schedules(t, 100, 1000))
		})
	}
}

// TestWokenTogetherRepeats: threads that one message wakes, here the one that confirms
// a subscription they share, ask for connections of one pool at the same instant. Who
// gets which does not depend on the scheduler.
func TestWokenTogetherRepeats(t *testing.T) {
	repeat(t, cells.Of(t, "contention", "fair", "clients", "2", "threads", "2", "rounds", "2"), schedules(t, 24, 1000))
}

// TestCancelsApart: the contexts of two threads do not end in one step: what the first leaves to the
// second would race with the end of that one's context.
func TestCancelsApart(t *testing.T) {
	c := cells.Of(t, "contention", "setpx", "clients", "1", "threads", "4", "cancels", "8")
	cancelled := 0
	for schedule := range schedules(t, 80, 80) {
		out := c.Run(explore.Run{Tape: explore.Random(1, schedule), Record: true})
		if out.Failure != nil {
			t.Fatal(out.Failure.Reason, out.Failure.Stack)
		}
		events := out.Recording.Events
		for i, e := range events {
			if e.Kind != sim.EventFault {
				continue
			}
			cancelled++
			if i > 0 && events[i-1].Kind == sim.EventFault {
				t.Fatalf("schedule %d: %+v and %+v", schedule, events[i-1], e)
			}
		}
	}
	if cancelled == 0 {
		t.Error("nothing was cancelled")
	}
}
