package choices

import (
	"os"
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/storetest"
)

const workerMark = "LOCKPICK_CHOICES_WORKER"

func TestMain(m *testing.M) {
	if os.Getenv(workerMark) == "" {
		os.Exit(m.Run())
	}
	if err := explore.ServeStdio(scenarios.Registry(slices.Concat(choosing(), wrongOrders(), []cell.Lock{dialing})).Resolve); err != nil {
		os.Exit(1)
	}
}

// choosing are the locks of this package, and two that come with Lockpick.
func choosing() []cell.Lock {
	list := Locks()
	for _, l := range cells.Locks() {
		if l.ID == "test-quorum-retries" || l.ID == "setpx" {
			list = append(list, l)
		}
	}
	return list
}

// of is a cell of one of these locks.
func of(t *testing.T, scenario, lock string, settings ...string) cell.Cell {
	t.Helper()
	c, err := scenarios.Registry(slices.Concat(choosing(), wrongOrders(), []cell.Lock{dialing})).Cell(scenario, lock, nil)
	for i := 0; i+1 < len(settings) && err == nil; i += 2 {
		err = c.Set(settings[i], settings[i+1])
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// worker is a program of this package's tests as a worker.
func worker(program string, procs int) explore.Worker {
	return explore.Worker{Command: []string{program}, Env: []string{workerMark + "=1"}, Procs: procs}
}

// self is this program as a worker.
func self(t *testing.T) explore.Worker {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return worker(program, 1)
}

// TestRepeat compares schedules that are run forward in one process with the same, run backward in another, with any of the
// locks. LOCKPICK_LONG is how many.
func TestRepeat(t *testing.T) {
	for _, l := range choosing() {
		t.Run(l.ID, func(t *testing.T) {
			count := storetest.Schedules()
			most := 1 + count/1000
			if slices.Contains(fewDiffer, l.ID) {
				most = 3 + count/100
			}
			if differ := differing(t, of(t, "gc-pause", l.ID), count, self(t), self(t)); differ > most {
				t.Errorf("%d of %d schedules differ, want at most %d", differ, count, most)
			}
		})
	}
}

// fewDiffer are the locks of which a few schedules differ without the overlay. Of the one with two tickers of one period in one select it is
// five to nine of 1,000: the tickers begin in the order of their addresses. Of the one with a thread of its own it is one to three: the
// runtime chooses when it hands the processor from one thread to the other.
var fewDiffer = []string{"four-channels", "own-thread"}

// differing is how many of a cell's first schedules differ if one worker runs them forward and the other backward.
func differing(t *testing.T, c cell.Cell, count int, forward, backward explore.Worker) (differ int) {
	t.Helper()
	hashes, compared := map[int]uint64{}, 0
	for i, w := range []explore.Worker{forward, backward} {
		search(t, w, explore.Request{Cell: c.Encode(), Seed: 1, Count: count, Reverse: i == 1}, func(r explore.Result) bool {
			if old, known := hashes[r.Schedule]; known {
				compared++
				if old != r.Hash {
					differ++
					t.Logf("schedule %d differs", r.Schedule)
				}
			}
			hashes[r.Schedule] = r.Hash
			return true
		})
	}
	t.Logf("%d of %d schedules differ", differ, compared)
	if compared != count {
		t.Errorf("%d schedules were compared, want %d", compared, count)
	}
	return differ
}

// search has a worker search, until each answers false. No run may have trouble.
func search(t *testing.T, w explore.Worker, q explore.Request, each func(explore.Result) bool) {
	t.Helper()
	if err := w.Do(t.Context(), q, func(r explore.Result) bool {
		if r.Trouble != nil {
			t.Errorf("schedule %d: %s", r.Schedule, r.Trouble.Reason)
		}
		return each(r)
	}); err != nil {
		t.Fatal(err)
	}
}

// found runs the first count schedules of a seed, and returns the first with a fault, or nil.
func found(t *testing.T, w explore.Worker, c cell.Cell, seed uint64, count int) (first *explore.Result) {
	t.Helper()
	search(t, w, explore.Request{Cell: c.Encode(), Seed: seed, Count: count}, func(r explore.Result) bool {
		if i := slices.IndexFunc(r.Violated, func(v model.Violation) bool { return !v.Limit }); i >= 0 {
			t.Logf("seed %d: schedule %d: %s", seed, r.Schedule, r.Violated[i])
			first = &r
		}
		return first == nil
	})
	return first
}
