package storetest

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// workerMark makes the test binary a worker.
const workerMark = "LOCKPICK_STORETEST_WORKER"

// the is the ID of the lock under test.
const the = "the lock"

// Locks returns the locks of a [Suite] for the lock of [Main] and [Test].
func Locks(newLock cell.NewLock, on stage.Store) []cell.Lock {
	return []cell.Lock{{ID: the, Subject: cell.Mutex(newLock), Store: on}}
}

// Main runs the tests of a package that calls [Test], and exits. Call it in TestMain: the test binary is
// its own worker.
func Main(m *testing.M, newLock cell.NewLock, on stage.Store) { serve(m, Locks(newLock, on)) }

// serve runs the tests, or serves as a worker that knows the locks.
func serve(m *testing.M, locks []cell.Lock) {
	if os.Getenv(workerMark) == "" {
		os.Exit(m.Run())
	}
	if err := explore.ServeStdio(scenarios.Registry(locks).Resolve); err != nil {
		fmt.Fprintln(os.Stderr, "storetest:", err)
		os.Exit(1)
	}
}

// worker returns this binary as a worker.
func worker() (explore.Worker, error) {
	w, err := explore.Self()
	w.Env = []string{workerMark + "=1"}
	return w, err
}

// Seeds is the number of schedules that [Test] compares in each scenario with resets, and FewSeeds the
// number in each without, and in all with -short.
const (
	Seeds    = 300
	FewSeeds = 10
)

// reset has the scenarios that [Test] also runs with frequent resets of connections, which make the client
// library retry.
var reset = []string{"contention", "gc-pause", "two-step-release"}

// Test runs schedules of the lock in every scenario, and in some with frequent resets of connections. It runs each
// schedule twice in this process, and once in each of two others, in opposite orders and with different GOMAXPROCS. The
// test fails if two runs of a schedule differ. Params are parameters that replace the scenarios', each a name and a
// value.
func Test(t *testing.T, newLock cell.NewLock, on stage.Store, params ...[2]string) {
	for _, s := range scenarios.All() {
		t.Run(s.ID, func(t *testing.T) { repeat(t, Locks(newLock, on), s.ID, 0, FewSeeds, params) })
	}
	seeds := Seeds
	if testing.Short() {
		seeds = FewSeeds
	}
	for _, id := range reset {
		t.Run(id+"/resets", func(t *testing.T) { repeat(t, Locks(newLock, on), id, 60, seeds, params) })
	}
}

func repeat(t *testing.T, locks []cell.Lock, scenario string, resets, seeds int, params [][2]string) {
	c, err := scenarios.Registry(locks).Cell(scenario, the, nil)
	for _, p := range params {
		err = errors.Join(err, c.Set(p[0], p[1]))
	}
	if err != nil {
		t.Fatal(err)
	}
	if lacks := c.Lacks(); lacks != "" {
		t.Skip(lacks)
	}
	if resets > 0 {
		c.Params.Faults = c.Params.Faults.With(faults.Resets, resets)
	}
	apart(t, c, seeds)
	here(t, c, seeds)
}

// apart compares schedules in two processes.
func apart(t *testing.T, c cell.Cell, seeds int) {
	one, err := worker()
	if err != nil {
		t.Fatal(err)
	}
	two := one
	two.Procs = 2
	differ, err := explore.Compare(t.Context(), one, two, c.Encode(), 1, seeds)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differ {
		t.Errorf("schedule %d differs in another process: %s", d.Schedule, d.What)
	}
}

// here compares schedules in this process. The test also fails if the lock was acquired too seldom for that to show
// anything.
func here(t *testing.T, c cell.Cell, seeds int) {
	acquired, struck, served := 0, 0, 0
	for n := range seeds {
		run := func() explore.Outcome {
			return c.Run(explore.Run{Tape: explore.Random(1, n), Record: true})
		}
		a, b := run(), run()
		switch {
		case a.Failure != nil:
			t.Fatalf("schedule %d: %s\n%s", n, a.Failure.Reason, a.Failure.Stack)
		case a.Hash != b.Hash:
			t.Errorf("schedule %d differs: %s", n, explore.FirstDifference(a.Recording, b.Recording))
		case !slices.Equal(a.Served, b.Served):
			t.Errorf("schedule %d: the servers served %x, and %x in the second run", n, a.Served, b.Served)
		}
		served = max(served, len(a.Served))
		for _, op := range a.Recording.History.Operations {
			if op.Kind == model.Acquire && op.Result == model.OK {
				acquired++
			}
		}
		for _, e := range a.Recording.Events {
			if e.Kind == sim.EventFault && e.Detail == "reset" {
				struck++
			}
		}
	}
	t.Logf("%d schedules: the lock was acquired %d times, %d connections were reset, up to %d sorts of requests", seeds, acquired, struck, served)
	if acquired < seeds || served < 2 || c.Params.Faults.Of(faults.Resets) > 0 && struck < seeds {
		t.Error("vacuous: that is too seldom")
	}
}
