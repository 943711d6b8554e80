package experiments

import (
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/repeat"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// workerMark makes the test binary a worker.
const workerMark = "LOCKPICK_EXPERIMENTS_WORKER"

func TestMain(m *testing.M) {
	Quiet()
	if os.Getenv(workerMark) == "" {
		os.Exit(m.Run())
	}
	err := explore.ServeStdio(func(cell json.RawMessage) (explore.Runner, error) {
		j := JobOf(cell)
		if j == nil {
			return nil, errors.New("the cell is no job of an experiment")
		}
		return j.Runner(program())
	})
	if err != nil {
		os.Exit(1)
	}
}

// small are values with which runs take a moment.
var small = map[*Experiment]Values{
	hotspot:   {"tries": 60},
	retry:     {"concurrent": 40, "requests": 60, "workers": 20},
	segments:  {"items": 40},
	watchdog:  {"holds": 10},
	herd:      {"waiters": 5, "holds": 10},
	load:      {"duration": 2000},
	whichLock: {"contenders": 2, "hold": 1, "holds": 10},
}

// TestRunsRepeat: the runs of every variant are the same in another process, at another
// GOMAXPROCS, in the opposite order.
func TestRunsRepeat(t *testing.T) {
	self, err := explore.Self()
	if err != nil {
		t.Fatal(err)
	}
	compareRuns(t, self, 2)
}

// TestRaceBuild: they are the same in a build with the race detector, which schedules
// goroutines otherwise.
func TestRaceBuild(t *testing.T) {
	compareRuns(t, explore.Worker{Command: []string{repeat.RaceBuild(t)}}, repeat.Schedules())
}

// compareRuns compares the runs of this binary with those of another worker.
func compareRuns(t *testing.T, other explore.Worker, schedules int) {
	self, err := explore.Self()
	if err != nil {
		t.Fatal(err)
	}
	mark := []string{workerMark + "=1"}
	self.Env, other.Env = mark, mark
	self.Procs, other.Procs = 1, 2
	for _, e := range All {
		v := e.Defaults()
		for name, value := range small[e] { // unordered: each sets another value
			v[name] = value
		}
		variants, err := e.Variants(v, program())
		if err != nil {
			t.Fatal(err)
		}
		step := 1
		if testing.Short() {
			step = 1 + len(variants)/5 // some of them: there are dozens
		}
		t.Run(e.ID, func(t *testing.T) {
			t.Parallel()
			for i := 0; i < len(variants); i += step {
				differ, err := explore.Compare(t.Context(), self, other, Job{Experiment: e.ID, Values: v, Variant: i}.Encode(), 1, schedules)
				if err != nil {
					t.Fatalf("%s: %v", variants[i].Name, err)
				}
				for _, d := range differ {
					t.Errorf("%s: schedule %d differs: %s", variants[i].Name, d.Schedule, d.What)
				}
			}
		})
	}
}
