package experimentstest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lab/experiments"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/storetest"
)

// workerMark makes a test binary a worker.
const workerMark = "LOCKPICK_EXPERIMENTS_WORKER"

// Serve serves as a worker, and does not return, if the process was started as one. Call it at the beginning of TestMain
// of a package that uses [Repeat] or [RaceBuild].
func Serve(locks []cell.Lock) {
	experiments.Quiet()
	if os.Getenv(workerMark) == "" {
		return
	}
	err := explore.ServeStdio(func(cell json.RawMessage) (explore.Runner, error) {
		j := experiments.JobOf(cell)
		if j == nil {
			return nil, errors.New("the cell is no job of an experiment")
		}
		return j.Runner(locks)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "experimentstest:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// small are values that make runs short.
var small = map[string]experiments.Values{
	"hotspot":      {"tries": 60},
	"random-sleep": {"clients": 10},
	"retry":        {"concurrent": 40, "requests": 60, "workers": 20},
	"check":        {"clients": 10, "steps": 2},
	"segments":     {"items": 40},
	"watchdog":     {"holds": 10},
	"herd":         {"waiters": 5, "holds": 10},
	"load":         {"duration": 2000},
	"optimistic":   {"clients": 5, "duration": 500},
	"which-lock":   {"contenders": 2, "hold": 1, "holds": 10},
}

// Repeat tests that the runs of every variant of the named experiments with these locks are the same in another process,
// at another GOMAXPROCS, in the opposite order. With -short it tests some of the variants.
func Repeat(t *testing.T, locks []cell.Lock, ids ...string) {
	self, err := explore.Self()
	if err != nil {
		t.Fatal(err)
	}
	compare(t, self, locks, ids, 2)
}

// RaceBuild tests that they are the same in a build with the race detector, which schedules goroutines differently. See
// [storetest.RaceBuild] and [storetest.Schedules].
func RaceBuild(t *testing.T, locks []cell.Lock, ids ...string) {
	compare(t, explore.Worker{Command: []string{storetest.RaceBuild(t)}}, locks, ids, storetest.Schedules())
}

// compare compares the runs of this binary with those of another worker.
func compare(t *testing.T, other explore.Worker, locks []cell.Lock, ids []string, schedules int) {
	self, err := explore.Self()
	if err != nil {
		t.Fatal(err)
	}
	mark := []string{workerMark + "=1"}
	self.Env, other.Env = mark, mark
	self.Procs, other.Procs = 1, 2
	for _, id := range ids {
		e, err := experiments.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		v := e.Defaults()
		for name, value := range small[id] { // unordered: each sets another value
			v[name] = value
		}
		variants, err := e.Variants(v, locks)
		if err != nil {
			t.Fatal(err)
		}
		step := 1
		if testing.Short() {
			step = 1 + len(variants)/3 // some of them: there are dozens
		}
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			for i := 0; i < len(variants); i += step {
				differ, err := explore.Compare(t.Context(), self, other, experiments.Job{Experiment: id, Values: v, Variant: i}.Encode(), 1, schedules)
				if err != nil {
					t.Fatalf("%s: %v", variants[i].Name, err)
				}
				for _, d := range differ {
					t.Errorf("%s: schedule %d differs: %s", variants[i].Name, d.Schedule, d.What)
				}
			}
			t.Logf("%d variants, %d schedules of each", (len(variants)+step-1)/step, schedules)
		})
	}
}
