package explore

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/internal/goruntime"
)

// TestSearchHere: a search in this process has the findings, tapes and hashes of one in worker processes,
// whether it is watched or not and whatever the number of jobs.
func TestSearchHere(t *testing.T) {
	slowtest.SkipIfShort(t)
	t.Parallel()
	for name, raw := range map[string]json.RawMessage{
		"one in ten":     cell{Do: "violate p and q", When: 3}.json(),
		"none":           cell{}.json(),
		"undecided":      cell{Do: "be undecided", When: 2}.json(),
		"changes":        cell{Do: "change its mind", When: 3}.json(),
		"shy":            cell{Do: "be shy", When: 3}.json(),
		"selects":        cell{Do: "take some steps", When: 6}.json(),
		"faults, limits": toy{Places: 6, Faults: []int{1, 3}, Limit: 2}.json(),
	} {
		search := func(w Worker, jobs int) (found []Finding, sum *Summary) {
			t.Helper()
			s := Search{Worker: w, Jobs: jobs, Cell: raw, Seed: 7, Schedules: 300, Happenings: 10}
			s.OnFinding = func(f Finding) {
				if f.Differs != nil {
					f.Tape, f.Differs, f.Outcome = nil, nil, Outcome{} // they differ by intent
				}
				found = append(found, f)
			}
			sum, err := s.Run(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return found, sum
		}
		want, whole := search(self(t), 2)
		if reversed := slices.ContainsFunc(want, func(f Finding) bool { return slices.ContainsFunc(f.Tape, isSelect) }); reversed != (name == "selects" && goruntime.DrawsKnown) {
			t.Errorf("%s: a select is reversed: %t", name, reversed)
		}
		for _, watched := range []bool{false, true} {
			for _, jobs := range []int{1, 3} {
				got, sum := search(Worker{Here: &Here{Resolve: resolve, Watched: watched}}, jobs)
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s, watched %t, %d jobs: found %+v, want %+v", name, watched, jobs, got, want)
				}
				if sum.Schedules != whole.Schedules || sum.Events != whole.Events || sum.Result() != whole.Result() || !reflect.DeepEqual(sum.Violations, whole.Violations) {
					t.Errorf("%s, watched %t, %d jobs: %+v, want %+v", name, watched, jobs, sum, whole)
				}
			}
		}
	}
}

func isSelect(c sim.Choice) bool { return c.Kind == sim.Select }

// TestHereOneAtATime: runs of several hands in this process never overlap, and Between is called before each.
func TestHereOneAtATime(t *testing.T) {
	t.Parallel()
	var running, most, between, runs atomic.Int64
	here := &Here{Between: func() { between.Add(1) }, Resolve: func(raw json.RawMessage) (Runner, error) {
		run, err := resolve(raw)
		return func(how Run) Outcome {
			runs.Add(1)
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			return run(how)
		}, err
	}}
	s := Search{Worker: Worker{Here: here}, Jobs: 4, Cell: cell{Do: "violate p", When: 3}.json(), Schedules: 1000, Strategy: RandomStrategy}
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if most.Load() != 1 || between.Load() != runs.Load() || runs.Load() < 1001 {
		t.Errorf("%d runs at once, Between called %d times for %d runs", most.Load(), between.Load(), runs.Load())
	}
}

// TestHereDebugged: a run in which a debugger may stop has one processor, no collector and its own printing, and the process has all of it
// again afterwards; other runs here change nothing of the process and collect what is printed.
func TestHereDebugged(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	type settings struct{ procs, percent, rate int }
	now := func() (s settings) {
		percent := debug.SetGCPercent(-1)
		debug.SetGCPercent(percent)
		return settings{runtime.GOMAXPROCS(0), percent, runtime.MemProfileRate}
	}
	before := now()
	for debugged, want := range map[bool]settings{false: before, true: {1, -1, 0}} {
		var within settings
		collects := false
		here := &Here{Debugged: debugged, Resolve: func(raw json.RawMessage) (Runner, error) {
			run, err := resolve(raw)
			return func(how Run) Outcome {
				within, collects = now(), how.Printed != nil
				return run(how)
			}, err
		}}
		if _, err := (Worker{Here: here}).Replay(t.Context(), cell{}.json(), nil); err != nil {
			t.Fatal(err)
		}
		if within != want || now() != before || collects == debugged {
			t.Errorf("debugged %t: %+v in a run, %+v before and %+v after it; what is printed is collected: %t", debugged, within, before, now(), collects)
		}
	}
}

// TestHereGivesUp: a run that can never go on is given up as in a worker process, although other goroutines of this one
// stand in the way of a proof, and ends the use of this one. Goroutines that a run leaves behind do not. It is tested in a
// process of its own, in which no other test wants to run anything.
func TestHereGivesUp(t *testing.T) {
	t.Parallel()
	const apart = "EXPLORE_HERE_APART"
	if os.Getenv(apart) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestHereGivesUp$", "-test.v")
		cmd.Env = append(os.Environ(), apart+"=1")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS: TestHereGivesUp") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	here := &Here{Resolve: resolve, Watched: true}
	w := Worker{Here: here}
	one := func(do string) (*Result, error) { return w.Replay(t.Context(), cell{Do: do, When: always}.json(), nil) }
	if r, err := one("leak"); err != nil || r.Trouble == nil || !r.Trouble.Leaked {
		t.Fatalf("a leak: %+v, %v", r, err)
	}
	if r, err := one("violate p"); err != nil || !reflect.DeepEqual(r.Violated, []model.Violation{{Property: "p"}}) {
		t.Fatalf("after a leak: %+v, %v", r, err)
	}
	s := Search{Worker: w, Impatient: true, Cell: cell{Do: "hold a mutex", When: 3}.json(), Schedules: 300, Strategy: RandomStrategy}
	sum, err := s.Run(t.Context())
	if err != nil || len(sum.Troubles) != 1 || sum.Troubles[0].Kind != Stalled && sum.Troubles[0].Kind != Inconclusive || !strings.Contains(sum.Troubles[0].Reason, "Mutex") {
		t.Fatalf("a stalled run: %v, %+v", err, sum)
	}
	if _, err := one("violate p"); !errors.Is(err, ErrSpent) {
		t.Errorf("after a stalled run: %v", err)
	}
}
