package simrun

import (
	"bytes"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// counterexample is one of the corpus, and a reducer that shows what it
// does.
func counterexample(t *testing.T, name string, show func(format string, args ...any)) (*traces.Trace, cell.Cell, *hunt.Reducer) {
	t.Helper()
	old, err := traces.ReadFile("../traces/corpus/" + name)
	if err != nil {
		t.Fatal(err)
	}
	cell, err := scenarios.Registry(allLocks()).Of(old)
	if err != nil {
		t.Fatal(err)
	}
	worker, err := explore.Self("worker")
	if err != nil {
		t.Fatal(err)
	}
	worker.Env = []string{mark + "=1"}
	r := recorded.NewReducer(worker, scenarios.Registry(allLocks()), 1, show)
	return old, cell, &r
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
		unhurried := newLive(w).show
		calls := 0
		old, cell, r := counterexample(t, "gc-pause_setpx-fenced_mutual-exclusion.json", func(format string, args ...any) {
			if calls++; w == tty { // what is shown ten times a second at most is shown at once
				(&live{w: w, on: terminal(w)}).show(format, args...)
				return
			}
			unhurried(format, args...)
		})
		r.Effort.Faults, r.Effort.Limits = 12, 12
		small, err := r.Shrink(t.Context(), cell, old, old.Tape, 0)
		if err != nil {
			t.Fatal(err)
		}
		s, err := r.Trace(cell, old, small)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Needs(t.Context(), s, small, 1); err != nil || calls < 13 {
			t.Errorf("%d calls, %v", calls, err)
		}
	}
	shown := tty.String()
	for _, want := range []string{
		"shrinking mutual-exclusion: 1 of at most 12 runs, ", "shrinking mutual-exclusion: 12 of at most 12 runs, ",
		"what mutual-exclusion needs, and remedies: 1 of at most ",
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
	slowtest.SkipIfShort(t)
	var want *traces.Trace
	for _, jobs := range []int{1, 4} {
		old, cell, r := counterexample(t, "node-restart_setpx_no-lost-update.json", func(string, ...any) {})
		r.Jobs = jobs
		small, err := r.Shrink(t.Context(), cell, old, old.Tape, 2_000)
		if err != nil {
			t.Fatal(err)
		}
		if !small.Exhausted || small.Runs < 5 {
			t.Errorf("%d runs, ended by its budget: %v", small.Runs, small.Exhausted)
		}
		got, err := r.Trace(cell, old, small)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Needs(t.Context(), got, small, 1); err != nil {
			t.Fatal(err)
		}
		if jobs == 1 {
			want = got
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers come to something else than one", jobs)
		}
	}
}
