package main

import (
	"bytes"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// recorded is a counterexample of the corpus, and a reducer that shows what it
// does on w.
func recorded(t *testing.T, name string, w io.Writer) (*traces.Trace, scenarios.Cell, reducer) {
	t.Helper()
	old, err := traces.ReadFile("../../traces/corpus/" + name)
	if err != nil {
		t.Fatal(err)
	}
	cell, err := scenarios.CellOf(old, allLocks())
	if err != nil {
		t.Fatal(err)
	}
	worker, err := explore.Self("worker")
	if err != nil {
		t.Fatal(err)
	}
	worker.Env = []string{mark + "=1"}
	return old, cell, reducer{app: &app{locks: allLocks(), worker: worker}, jobs: 1, show: newLive(w).show, events: 1}
}

// console is a terminal as far as programs can see; what is written to it is kept.
type console struct {
	bytes.Buffer
	device *os.File
}

func (c *console) Unwrap() io.Writer { return c.device }

// TestProgress: on a terminal it is shown what a finding is being done about, and
// how long that may take at most; in a pipe nothing is.
func TestProgress(t *testing.T) {
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	tty, pipe := &console{device: device}, &bytes.Buffer{}
	for _, w := range []io.Writer{tty, pipe} {
		old, cell, r := recorded(t, "gc-pause_setpx-fenced_mutual-exclusion.json", w)
		unhurried := r.show
		calls := 0
		r.show = func(format string, args ...any) { // what is shown ten times a second at most is shown at once
			if calls++; w == tty {
				(&live{w: w, on: terminal(w)}).show(format, args...)
				return
			}
			unhurried(format, args...)
		}
		small, err := r.shrink(t.Context(), explore.Shrink{Cell: cell.Encode(), Property: old.Property, Limit: old.Limit, Budget: 12}, old.Tape)
		if err != nil {
			t.Fatal(err)
		}
		s, err := r.trace(cell, old, small)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.attribute(t.Context(), s, small); err != nil || calls < 13 {
			t.Errorf("%d calls, %v", calls, err)
		}
	}
	shown := tty.String()
	for _, want := range []string{
		"shrinking mutual-exclusion: 1 of at most 12 runs, ", "shrinking mutual-exclusion: 12 of at most 12 runs, ",
		"asking what mutual-exclusion needs and what would help: 1 of at most ",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("a terminal does not show %q: %.500q", want, shown)
		}
	}
	if pipe.Len() > 0 {
		t.Errorf("a pipe gets %q", pipe)
	}
}

// TestShrinkJobsOfCell: what becomes of a lock's counterexample does not depend on
// the number of workers.
func TestShrinkJobsOfCell(t *testing.T) {
	var want *traces.Trace
	for _, jobs := range []int{1, 4} {
		old, cell, r := recorded(t, "node-restart_setpx_no-lost-update.json", io.Discard)
		r.jobs = jobs
		small, err := r.shrink(t.Context(), explore.Shrink{Cell: cell.Encode(), Property: old.Property, Limit: old.Limit, Events: 2_000}, old.Tape)
		if err != nil {
			t.Fatal(err)
		}
		if !small.Exhausted || small.Runs < 5 {
			t.Errorf("%d runs, ended by its budget: %v", small.Runs, small.Exhausted)
		}
		got, err := r.trace(cell, old, small)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.attribute(t.Context(), got, small); err != nil {
			t.Fatal(err)
		}
		if jobs == 1 {
			want = got
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers come to something else than one", jobs)
		}
	}
}
