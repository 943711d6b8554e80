package scenarios_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// TestLimitThenFault: a real lock has two holders as a limit, when a holder was
// stopped, and as a fault, when its release has removed another's key. One search of
// one scenario finds both, and each is made smaller as what it is.
func TestLimitThenFault(t *testing.T) {
	t.Parallel()
	c := cells.Of(t, "gc-pause", "setpx-del")
	found := map[model.Violation]explore.Finding{}
	_, err := explore.Search{
		Worker: cells.Worker(t, 1), Cell: c.Encode(), Strategy: explore.PortfolioStrategy, Seed: 1, Schedules: 400,
		Enough: func(*explore.Summary) bool { return len(found) == 2 },
		OnFinding: func(f explore.Finding) {
			if f.Property == checker.MutualExclusion {
				found[f.Violation()] = f
			}
		},
	}.Run(t.Context())
	if err != nil || len(found) != 2 {
		t.Fatalf("found %d of a limit and a fault, %v", len(found), err)
	}
	for v, f := range found {
		small, err := explore.Shrink{Worker: cells.Worker(t, 1), Cell: c.Encode(), Property: v.Property, Limit: v.Limit, Smaller: c.Smaller, Budget: 200}.Run(t.Context(), f.Tape)
		if err != nil || !slices.Contains(small.Outcome.Violated(), v) {
			t.Fatalf("%s: %v", v, err)
		}
		verdict := c.Trace(1, 0, v.Property, small.Outcome).Verdict()
		if want := map[bool]string{true: model.HolderStopped, false: model.RemovedByAnother}[v.Limit]; verdict.Cause != want {
			t.Errorf("%s: the cause is %s, want %s: %s", v, verdict.Cause, want, verdict.Sentence)
		}
	}
}

// TestCausesAreDescribed: a trace of a limit is described with the cause in the checker's words.
func TestCausesAreDescribed(t *testing.T) {
	for _, cause := range model.Causes() {
		if !cause.Limit {
			continue
		}
		trace := &traces.Trace{Property: "p", Limit: true, Verdicts: []model.Verdict{{Property: "p", Status: model.Violated, Limit: true, Cause: cause.ID}}}
		var text bytes.Buffer
		if err := render.Explain(&text, trace, render.Style{}); err != nil {
			t.Fatal(err)
		}
		if words := strings.Join(strings.Fields(text.String()), " "); !strings.Contains(words, "not a fault of the lock: "+cause.Text+".") {
			t.Errorf("%s is not described as %q:\n%s", cause.ID, cause.Text, text.String())
		}
	}
}
