package simrun

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

const nap sim.Kind = "fault:nap"

// naps is a fault of the program's own.
var naps = &stage.Fault{
	Name: "naps", Most: 4,
	About: "how often a client of {store} may sleep for as long as its lease lasts",
	One:   "a client that sleeps for as long as its lease lasts", Many: "clients that sleep for as long as their leases last",
	Inject: func(s *stage.Stage, budget int) {
		s.Strike(budget, stage.Strikes{
			Kind: nap, Options: 1, Odds: 50,
			Can: func(e sim.Upcoming) bool { return s.Running(e) != nil },
			Do:  func(e sim.Upcoming, _ int) bool { return s.Client(e.Actor).Pause(s.Params.LeaseAsked()) },
		})
	},
	Kinds:    []sim.Kind{nap},
	Describe: func(t *stage.Choice) string { return t.Actor + " takes a nap at " + traces.Moment(t.Event.At) },
}

// napping is a scenario of the program's own.
var napping = &cell.Scenario{
	ID:      "napping",
	Summary: "a client of {store} sleeps for as long as its lease lasts",
	Params:  cell.Params{Clients: 2, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Once(naps)},
	Happenings: []cell.Happening{{Name: "a client slept", In: func(h *model.History) bool {
		return slices.ContainsFunc(h.Observations, func(o model.Observation) bool { return o.Kind == model.Paused })
	}}},
}

// TestScenarios: a scenario of the program, with a fault of the program, is listed; a search in it
// finds what is wrong with a flawed lock and nothing with a sound one; what is found is replayed
// and shrunk; the matrix has a column for it; and its fault's parameter works elsewhere.
func TestScenarios(t *testing.T) {
	slowtest.SkipIfShort(t)
	worker, err := explore.Self("worker")
	if err != nil {
		t.Fatal(err)
	}
	worker.Env = []string{mark + "=1", scenariosMark + "=1"}
	run := func(want int, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		a := &app{name: "simrun", out: &out, err: &errs, locks: locks(), families: families(), worker: worker}
		Scenarios(napping)(a)
		if err := a.usable(); err != nil {
			t.Fatal(err)
		}
		if code := a.main(t.Context(), args); code != want {
			t.Fatalf("%q: exit code %d, want %d\n%s%s", args, code, want, &out, &errs)
		}
		return out.String()
	}
	dir := t.TempDir()
	trace := filepath.Join(dir, "napping_setpx-del_owner-only-release.json")
	one := []string{"--runs", "60", "--out", dir}
	for what, test := range map[string]struct{ says, want string }{
		"list":      {run(exitNone, "list"), "napping            a client of Redis sleeps for as long as its lease lasts"},
		"list -v":   {run(exitNone, "list", "-v"), "how often a client of the file server may sleep"},
		"complete":  {run(exitNone, "complete", "--", "run", "nap"), "napping"},
		"a search":  {run(exitViolation, append([]string{"run", "napping", "--lock", "setpx-del"}, one...)...), "owner-only-release"},
		"explain":   {run(exitNone, "explain", trace), "takes a nap at "},
		"replay":    {run(exitViolation, "replay", trace), "as recorded"},
		"shrink":    {run(exitNone, "shrink", trace), "takes a nap at "},
		"elsewhere": {run(exitViolation, "run", "contention", "--lock", "setpx-del", "--param", "naps=2", "--runs", "60", "--out", dir), "owner-only-release"},
		"bounded":   {run(exitViolation, "check", "napping", "--lock", "setpx-del", "--bound", "1", "--out", dir), "takes a nap at "},
	} {
		if !strings.Contains(test.says, test.want) {
			t.Errorf("%s: it does not say %q:\n%s", what, test.want, test.says)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "contention_setpx-del_naps-2_owner-only-release.json")); len(files) != 1 {
		entries, _ := os.ReadDir(dir)
		t.Errorf("the trace of another scenario with the fault is not there: %v", entries)
	}
	matrix := []string{"matrix", "--scenario", "napping", "--runs", "24", "--json", "--lock"}
	if out := run(exitViolation, append(matrix, "setpx-del")...); !strings.Contains(out, `"scenario":"napping"`) || !strings.Contains(out, `"as_expected":false`) {
		t.Errorf("the matrix expects the fault of the flawed lock:\n%s", out)
	}
	if out := run(exitNone, append(matrix, "setpx")...); !strings.Contains(out, `"as_expected":true`) {
		t.Errorf("the matrix finds a fault of the sound lock:\n%s", out)
	}
}

// TestScenariosRefused: names that are taken are refused before anything is done.
func TestScenariosRefused(t *testing.T) {
	taken := *napping
	taken.ID = "storm"
	a := &app{locks: locks()}
	Scenarios(&taken)(a)
	if err := a.usable(); err == nil || !strings.Contains(err.Error(), `scenario "storm": Lockpick has a scenario with this ID: choose another`) {
		t.Errorf("it says %v", err)
	}
}
