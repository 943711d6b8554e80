package etcd

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/storetest"
)

// workerMark makes the test binary a worker that runs plans.
const workerMark = "LOCKPICK_ETCD_WORKER"

func TestMain(m *testing.M) {
	if os.Getenv(workerMark) == "" {
		os.Exit(m.Run())
	}
	if err := explore.ServeStdio(runner); err != nil {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		os.Exit(1)
	}
}

// runner runs the plan that a cell is.
func runner(cell json.RawMessage) (explore.Runner, error) {
	var p plan
	if err := json.Unmarshal(cell, &p); err != nil {
		return nil, err
	}
	return func(r explore.Run) explore.Outcome {
		report := p.watched(r.Tape, r.Record, r.Progress, nil)
		o := explore.Outcome{Hash: report.Hash, Events: report.EventCount, Simulated: report.Simulated, Failure: report.Failure}
		if r.Record {
			o.Recording = &explore.Recording{Events: report.Events, Choices: report.Choices}
		}
		return o
	}, nil
}

// TestRunsRepeatElsewhere: runs are the same in another process, at another GOMAXPROCS and
// in the opposite order.
func TestRunsRepeatElsewhere(t *testing.T) {
	self, err := explore.Self()
	if err != nil {
		t.Fatal(err)
	}
	compare(t, self)
}

// TestRaceBuild: runs are the same in a build with the race detector, which schedules
// goroutines otherwise.
func TestRaceBuild(t *testing.T) {
	binary := storetest.RaceBuild(t)
	race, err := explore.Self()
	if err != nil {
		t.Fatal(err)
	}
	race.Command = append([]string{binary}, race.Command[1:]...)
	compare(t, race)
}

// compare compares the runs of this binary with those of another worker.
func compare(t *testing.T, other explore.Worker) {
	self, err := explore.Self()
	if err != nil {
		t.Fatal(err)
	}
	mark := []string{workerMark + "=1"}
	self.Env, other.Env = append(self.Env, mark...), append(other.Env, mark...)
	self.Procs, other.Procs = 1, 2
	for name, p := range plans {
		t.Run(name, func(t *testing.T) {
			cell, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			differ, err := explore.Compare(t.Context(), self, other, cell, 1, storetest.Schedules())
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range differ {
				t.Errorf("schedule %d differs: %s", d.Schedule, d.What)
			}
		})
	}
}
