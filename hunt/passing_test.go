package hunt_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// kept reads a trace of the corpus, with its cell.
func kept(t *testing.T, name string) (cell.Cell, *traces.Trace) {
	t.Helper()
	tr, err := traces.ReadFile("../traces/corpus/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	c, err := scenarios.Registry(cells.Locks()).Of(tr)
	if err != nil {
		t.Fatal(err)
	}
	return c, tr
}

// TestNearestPassing: the run lacks one deviation, does not have the violation, and no deviation
// that comes later would do; what the attribution says is not needed is not tried.
func TestNearestPassing(t *testing.T) {
	slowtest.SkipIfShort(t)
	cells.WithOldestGoRedis(t, "the traces of the corpus")
	for _, name := range []string{"gc-pause_setpx_no-lost-update", "failover-loss_setpx_mutual-exclusion", "two-step-release_setpx-twostep_owner-only-release", "late-reply_setpx_no-lost-update"} {
		c, tr := kept(t, name)
		p, err := hunt.NearestPassing(t.Context(), c, cells.Worker(t, 1), tr, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, v := range p.Trace.Verdicts {
			if v.Property == tr.Property && v.Status == "violated" {
				t.Errorf("%s: it violates %s", name, v.Property)
			}
		}
		lacks := lacking(tr, p.Trace)
		if len(lacks) == 0 {
			t.Fatalf("%s: it lacks nothing of the tape", name)
		}
		noLater(t, c, tr, lacks[0])
		if text := comparison(t, p, tr); p.Without == "" || !strings.Contains(text, "B  the same without this: "+p.Without) || strings.Contains(text, "runs are equal") {
			t.Errorf("%s: it is told as\n%s", name, text)
		}
		again, err := hunt.NearestPassing(t.Context(), c, cells.Worker(t, 2), tr, nil)
		if err != nil || again.Trace.Hash != p.Trace.Hash || again.Without != p.Without {
			t.Errorf("%s: another time it is another run: %v", name, err)
		}
	}
}

// noLater fails if a counterexample passes without a deviation that comes after one.
func noLater(t *testing.T, c cell.Cell, tr *traces.Trace, one string) {
	t.Helper()
	h := explore.Hand{Worker: cells.Worker(t, 1)}
	defer h.Close()
	list := explore.Deviations(tr.Tape)
	for i := len(list) - 1; list[i].ID() != one; i-- {
		r, err := h.ReplayLenient(t.Context(), c.Encode(), append(slices.Clone(list[:i]), list[i+1:]...))
		if err != nil {
			t.Fatal(err)
		}
		if explore.IsDeviation(list[i]) && len(r.Violated) == 0 {
			t.Errorf("without %s, which comes after %s, it passes as well", list[i].ID(), one)
		}
	}
}

// TestNearestPassingNeedless: of a counterexample that needs nothing there is none.
func TestNearestPassingNeedless(t *testing.T) {
	c, tr := kept(t, "gc-pause_setpx_no-lost-update")
	tr.Attribution = &traces.Attribution{}
	for _, choice := range tr.Tape {
		if choice.Option != 0 {
			tr.Attribution.Deviations = append(tr.Attribution.Deviations, traces.Deviation{Decision: choice.ID(), Option: choice.Option})
		}
	}
	if p, err := hunt.NearestPassing(t.Context(), c, cells.Worker(t, 1), tr, nil); !errors.Is(err, hunt.ErrNothingToTake) {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := hunt.NearestPassing(t.Context(), c, explore.Worker{Command: []string{"/none"}}, &traces.Trace{Tape: tr.Tape, Property: tr.Property}, nil); err == nil || errors.Is(err, hunt.ErrNothingToTake) {
		t.Errorf("without a worker: %v", err)
	}
}

// TestNearestPassingUnsure: where runs do not finish, could not be decided, or are too many, the
// error says so, and does not claim that the violation needs no deviation.
func TestNearestPassingUnsure(t *testing.T) {
	c, tr := kept(t, "gc-pause_setpx_no-lost-update")
	tr.Attribution, tr.Tape = nil, nil
	for i := range 700 {
		tr.Tape = append(tr.Tape, sim.Choice{Kind: sim.Latency, Actor: "c1", Occurrence: i, Options: 2, Option: 1})
	}
	verdict := func(s model.Status) explore.Outcome {
		return explore.Outcome{Verdicts: []model.Verdict{{Property: tr.Property, Status: s, Limit: tr.Limit}}, Recording: &explore.Recording{}}
	}
	for _, test := range []struct {
		name string
		n    int
		out  func(run int) explore.Outcome
		runs int
		want string
	}{
		{"all violate", 5, func(int) explore.Outcome { return verdict(model.Violated) }, 5, "it has no deviation from the calm run that the violation needs"},
		{"none finishes", 5, func(int) explore.Outcome { return explore.Outcome{Failure: &sim.Failure{Reason: "it stalls"}} }, 5, "of 5 runs, 5 did not finish"},
		{"one is undecided", 5, func(run int) explore.Outcome {
			if run == 3 {
				return verdict(model.Undecided)
			}
			return verdict(model.Violated)
		}, 5, "of 5 runs, 4 showed the violation, 1 could not be decided"},
		{"too many", 700, func(int) explore.Outcome { return verdict(model.Violated) }, 600, "it has more deviations, which were not tried"},
	} {
		t.Run(test.name, func(t *testing.T) {
			one := *tr
			one.Tape = tr.Tape[:test.n]
			runs := 0
			w := explore.Worker{Here: &explore.Here{Resolve: func(json.RawMessage) (explore.Runner, error) {
				return func(explore.Run) explore.Outcome { runs++; return test.out(runs) }, nil
			}}}
			p, err := hunt.NearestPassing(t.Context(), c, w, &one, nil)
			if p != nil || !errors.Is(err, hunt.ErrNothingToTake) || !strings.Contains(err.Error(), test.want) || runs != test.runs {
				t.Errorf("%d runs, %v, want %d and %q", runs, err, test.runs, test.want)
			}
		})
	}
}

// lacking are the deviations of a counterexample that a run has not made.
func lacking(tr, of *traces.Trace) (list []string) {
	has := map[string]int{}
	for _, c := range of.Tape {
		has[c.ID()] = c.Option
	}
	for _, c := range explore.Deviations(tr.Tape) {
		if explore.IsDeviation(c) && has[c.ID()] != c.Option {
			list = append(list, c.ID())
		}
	}
	return list
}

// comparison tells of a counterexample and its passing run.
func comparison(t *testing.T, p *hunt.Passing, tr *traces.Trace) string {
	t.Helper()
	var b strings.Builder
	if err := p.Compare("a.json", tr).Text(&b, render.Style{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
