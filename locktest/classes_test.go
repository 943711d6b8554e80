package locktest_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
)

// bothClasses is a worker in which one lock violates the same properties as a limit
// and as a fault: see [testlocks.BothClasses].
func bothClasses(t *testing.T) (explore.Worker, cell.Lock) {
	t.Helper()
	w := cells.Worker(t, 1)
	w.Env = append(w.Env, cells.BothClasses+"=1")
	l, err := scenarios.Registry(builtin.Locks()).Lock("setpx")
	if err != nil {
		t.Fatal(err)
	}
	return w, l
}

// TestBothClasses: a search of one scenario finds two holders as a limit and, behind
// it, as a fault. Each finding is made smaller as what it is, has a file of its own,
// and only the fault fails, unless limits are to fail as well.
func TestBothClasses(t *testing.T) {
	slowtest.SkipIfShort(t)
	t.Parallel()
	w, l := bothClasses(t)
	const property = checker.MutualExclusion
	r, names, err := locktest.SearchWith(t.Context(), w, "gc-pause", l, 150)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 2 || !slices.Equal(slices.Sorted(slices.Values(names)), []string{property, property + "_limit"}) {
		t.Fatalf("found %+v, in files %v", r.Findings, names)
	}
	for _, f := range r.Findings {
		v := f.Trace.Verdict()
		if f.Property != property || f.Limit != f.Trace.Limit || v.Limit != f.Limit || f.Trace.Shrunk == nil {
			t.Errorf("limit %v, in the trace %v, its verdict %+v", f.Limit, f.Trace.Limit, v)
		}
		for _, d := range f.Trace.Attribution.Deviations {
			if strings.HasPrefix(d.Decision, "fault:") && !d.Needed {
				t.Errorf("limit %v: it does not need %+v", f.Limit, d)
			}
		}
		for _, test := range []struct {
			opts []locktest.Option
			want bool
		}{
			{nil, !f.Limit},
			{[]locktest.Option{locktest.Strict()}, true},
			{[]locktest.Option{locktest.Expect("gc-pause", property)}, false},
		} {
			if fails, err := locktest.Fails(f.Trace, test.opts...); err != nil || fails != test.want {
				t.Errorf("limit %v, with %d options: fails %v, %v", f.Limit, len(test.opts), fails, err)
			}
		}
	}
}

// TestRerunClasses: a case that was kept as a fault and is a limit now no longer
// fails, and says so; one that was kept as a limit and is a fault now fails.
func TestRerunClasses(t *testing.T) {
	t.Parallel()
	w, l := bothClasses(t)
	c := cells.Of(t, "gc-pause", "setpx")
	old := map[bool]explore.Finding{}
	_, err := explore.Search{Worker: w, Cell: c.Encode(), Strategy: explore.PortfolioStrategy, Seed: 1, Schedules: 150, OnFinding: func(f explore.Finding) {
		if f.Property == checker.MutualExclusion {
			old[f.Limit] = f
		}
	}}.Run(t.Context())
	if err != nil || len(old) != 2 {
		t.Fatalf("found %d, %v", len(old), err)
	}
	for limit, f := range old {
		for _, recorded := range []bool{limit, !limit} { // as what it was recorded
			trace := c.Trace(1, f.Schedule, f.Property, f.Outcome)
			if trace.Violation() != (model.Violation{Property: f.Property, Limit: limit}) {
				t.Errorf("its trace is of %s", trace.Violation())
			}
			trace.Limit = recorded
			fails, says, err := locktest.RerunWith(context.Background(), w, l, trace)
			if err != nil || fails != (recorded || !limit) {
				t.Errorf("a limit %v, recorded as one %v: fails %v, %v", limit, recorded, fails, err)
			}
			if was := trace.Violation().Class(); strings.Contains(says, "was recorded as a "+was+", and this run violates it as a ") != (limit != recorded) {
				t.Errorf("a limit %v, recorded as one %v: %q", limit, recorded, says)
			}
		}
	}
}
