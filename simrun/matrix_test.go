package simrun

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// expecting is the program with other expectations, with workers that are this
// binary.
func expecting(t testing.TB, expectations ...expect.Expectations) (a *app, out *bytes.Buffer) {
	t.Helper()
	worker, err := explore.Self("worker")
	if err != nil {
		t.Fatal(err)
	}
	worker.Env = []string{mark + "=1"}
	out = new(bytes.Buffer)
	return &app{
		name: "simrun", out: out, err: new(bytes.Buffer), locks: allLocks(), worker: worker,
		families: []expect.Family{{Title: "Tried", Expectations: expectations}},
	}, out
}

// sampled are the cells that the test of every change searches; make matrix
// searches all.
var sampled = []string{
	"--lock", "setpx", "--lock", "setpx-fenced", "--lock", "pull", "--lock", "setnx", "--lock", "setpx-twostep",
	"--scenario", "contention", "--scenario", "gc-pause", "--scenario", "lost-reply", "--scenario", "node-restart",
}

// TestMatrixSample: a sample of the matrix is as expected, and does not depend on
// how many cells are searched at a time.
func TestMatrixSample(t *testing.T) {
	slowtest.SkipIfShort(t)
	args := append([]string{"matrix", "--runs", "32", "--stable"}, sampled...)
	code, out, errs := simrun(t, append(args, "--jobs", "1")...)
	if code != exitNone || errs != "" {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	for _, line := range []string{
		"  setpx         ✓          ◐HU   ✓d†    ◐HU\n",
		"  setpx-fenced  ✓          ◐H",
		"  setnx         ✓          ✓     ✗",
		"  R  removes another's live lock (owner-only-release)\n",
		"result as expected: 20 cells, ",
		"it is no proof\n",
	} {
		if !strings.Contains(out, line) {
			t.Errorf("it does not print %q:\n%s", line, out)
		}
	}
	if testing.Short() {
		return // TestHowIsNotWhat has it for one cell
	}
	if code, again, _ := simrun(t, append(args, "--jobs", "3")...); code != exitNone || again != out {
		t.Errorf("with more jobs: exit code %d\n%s\nwith one:\n%s", code, again, out)
	}
}

// TestMatrixJSON: a cell says what was found of each property, what is expected
// and why.
func TestMatrixJSON(t *testing.T) {
	slowtest.SkipIfShort(t)
	code, out, _ := simrun(t, "matrix", "--lock", "setpx-twostep", "--scenario", "two-step-release", "--scenario", "contention", "--json", "--stable")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != exitNone || len(lines) != 3 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	var calm, cell jsonMatrixCell
	var sum jsonMatrixSummary
	for i, v := range []any{&calm, &cell, &sum} {
		if err := json.Unmarshal([]byte(lines[i]), v); err != nil {
			t.Fatal(err)
		}
	}
	if calm.Standing != "none-found" || calm.Result != "none-found" || calm.Schedules != 256 || !calm.AsExpected {
		t.Errorf("contention: %+v", calm)
	}
	if cell.Standing != "fault" || cell.Result != "violation" || !cell.AsExpected || !strings.Contains(cell.Reason, "Between its GET and its DEL") {
		t.Errorf("two-step-release: %+v", cell)
	}
	found := map[string]jsonMatrixProperty{}
	for _, p := range cell.Properties {
		found[p.Property] = p
	}
	if p := found[checker.OwnerOnlyRelease]; p.Verdict != "violated" || p.Expected != "must" || p.Limit || p.Schedules == 0 || !strings.Contains(p.Sentence, "release removed the lock of") {
		t.Errorf("owner-only-release: %+v", p)
	}
	if p := found[checker.MutualExclusion]; p.Verdict != "violated" || !p.Limit {
		t.Errorf("mutual-exclusion: %+v", p)
	}
	if p := found[checker.Progress]; p.Verdict != "none-found" || p.Expected != "never" {
		t.Errorf("progress: %+v", p)
	}
	if sum.Result != "as-expected" || sum.Cells != 2 || sum.AsExpected != 2 || sum.Elapsed != nil {
		t.Errorf("%+v", sum)
	}
}

// TestMatrixUnlike: what is not as expected is told, and makes the exit code.
func TestMatrixUnlike(t *testing.T) {
	slowtest.SkipIfShort(t)
	reason := "Because."
	in := func(e expect.Expectation) []expect.Expectation { return []expect.Expectation{e} }
	stuck := []model.Violation{{Property: checker.Progress}}
	for _, test := range []struct {
		name     string
		lock     string
		expected expect.Expectation
		code     int
		says     []string
	}{
		{"unexpected", "setpx", expect.Expectation{Scenario: "gc-pause"}, exitViolation,
			[]string{"◐HU!", "setpx under gc-pause: mutual-exclusion is violated as a limit (cause: holder-stopped), which is unexpected: in ", "Look: simrun run gc-pause --lock setpx --seed 1 --runs 16", "result not as expected: 1 of 1 cell"}},
		{"missed", "setpx", expect.Expectation{Scenario: "contention", Must: stuck}, exitViolation,
			[]string{"✓!", "progress as a fault was not found in 256 schedules, but is expected. Because."}},
		{"may", "setpx", expect.Expectation{Scenario: "contention", May: stuck}, exitNone, []string{"result as expected"}},
		{"not undecided", "setpx", expect.Expectation{Scenario: "contention", Undecided: true}, exitViolation,
			[]string{"every run finished in 256 schedules, but some are expected not to. Because."}},
		{"undecided", "setpx-spin-release-as-printed", expect.Expectation{Scenario: "late-request"}, exitInconclusive,
			[]string{"?!", "could not be decided: The run was cut"}},
		{"undecided as expected", "setpx-spin-release-as-printed", expect.Expectation{Scenario: "late-request", Undecided: true}, exitNone, []string{"?\n"}},
		{"vacuous", "pull", expect.Expectation{Scenario: "late-reply"}, exitInconclusive,
			[]string{"○!", "it never happened in 256 schedules that an Acquire succeeded by an answer that came later"}},
		{"vacuous as expected", "pull", expect.Expectation{Scenario: "late-reply", Vacuous: true}, exitNone, []string{"○\n"}},
		{"not applicable", "setpx", expect.Expectation{Scenario: "contention", Except: "It need not."}, exitInconclusive, []string{"–\n", "result vacuous: no scenario applies"}},
		{"a worker that dies", "test-panics", expect.Expectation{Scenario: "contention"}, exitTrouble,
			[]string{"?!", "test-panics under contention: a run did not finish (crashed)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, out := expecting(t, expect.Expectations{Lock: test.lock, Reason: reason, In: in(test.expected)})
			code := a.main(t.Context(), []string{"matrix", "--runs", "16", "--scenario", test.expected.Scenario})
			text := strings.Join(strings.Fields(out.String()), " ") + "\n"
			for _, s := range test.says {
				want := strings.Join(strings.Fields(s), " ")
				if !strings.Contains(text, want) {
					t.Errorf("it does not say %q:\n%s", s, out)
				}
			}
			if code != test.code {
				t.Errorf("exit code %d, want %d\n%s", code, test.code, out)
			}
		})
	}
}

// TestMatrixInterrupted: what was found until then is told, nothing is missed, and
// what must never be is still that.
func TestMatrixInterrupted(t *testing.T) {
	slowtest.SkipIfShort(t)
	a, out := expecting(t, expect.Expectations{Lock: "setpx", In: []expect.Expectation{{Scenario: "gc-pause", Must: []model.Violation{{Property: checker.Progress}}}}})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(2*time.Second, cancel)
	page := filepath.Join(t.TempDir(), "matrix.html")
	if code := a.main(ctx, []string{"matrix", "--runs", "1000000", "--scenario", "gc-pause", "-o", page}); code != exitInterrupted {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if text := out.String(); !strings.Contains(text, "◐H") || !strings.Contains(text, "mutual-exclusion is violated as a limit") || strings.Contains(text, "but is expected") ||
		!strings.Contains(text, "interrupted: 0 of 1 cell searched") {
		t.Errorf("it says\n%s", text)
	}
	if _, err := os.Stat(page); err != nil {
		t.Error(err)
	}
}

// TestMatrixInterruptedAtOnce: there is a table all the same.
func TestMatrixInterruptedAtOnce(t *testing.T) {
	a, out := expecting(t, expect.Expectations{Lock: "setpx", In: []expect.Expectation{{Scenario: "contention", Must: []model.Violation{{Property: checker.Progress}}}}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code := a.main(ctx, []string{"matrix"}); code != exitInterrupted {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if text := out.String(); !strings.Contains(text, "·  not searched") || !strings.Contains(text, fmt.Sprintf("interrupted: 0 of %d cells searched", a.applying(t, "setpx"))) || strings.Contains(text, "must be") {
		t.Errorf("it says\n%s", text)
	}
}

// applying is how many scenarios apply to a lock, but for storm, which is no column.
func (a *app) applying(t *testing.T, lock string) (n int) {
	t.Helper()
	for _, s := range a.registry().Scenarios {
		c, err := a.registry().Cell(s.ID, lock, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.Lacks() == "" {
			n++
		}
	}
	return n
}

// TestMatrixUsage: what cannot be searched is said before anything is.
func TestMatrixUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"--lock", "none"}, `there is no lock "none"`},
		{[]string{"--lock", "test-panics"}, `there are no expectations for the lock "test-panics"`},
		{[]string{"--scenario", "none"}, `there is no scenario "none"`},
		{[]string{"--store", "none"}, `there is no store "none"; there are redis`},
		{[]string{"--runs", "0"}, "--runs=0: want 1 to 1000000"},
		{[]string{"--jobs", "0"}, "--jobs=0: want 1 to 256"},
		{[]string{"-o", t.TempDir()}, "is a directory or a device: name a file"},
		{[]string{"-o", "m.txt"}, "-o m.txt: the page is HTML: want a name that ends with .html"},
		{[]string{"-o", "none/m.html"}, "none/m.html cannot be written: there is no directory none"},
		{[]string{"--out", "matrix.go/traces"}, "the directory matrix.go/traces cannot be created"},
	} {
		code, _, errs := simrun(t, append([]string{"matrix"}, test.args...)...)
		if code != exitUsage || !strings.Contains(errs, test.says) {
			t.Errorf("%v: exit code %d, %s", test.args, code, errs)
		}
	}
}

// The tables of docs/matrix.md stand between these: one for each store.
const tableBegins, tableEnds = "<!-- simrun matrix --expected --store %s -->\n", "<!-- end -->\n"

// TestDocsMatrix: the tables of docs/matrix.md are what the expectations say.
func TestDocsMatrix(t *testing.T) {
	for _, store := range cell.Stores(locks()) {
		t.Run(store.ID(), func(t *testing.T) { docsTable(t, store.ID()) })
	}
}

// TestQuotes: the README and docs/simrun.md show what commands print, word by word.
func TestQuotes(t *testing.T) {
	golden.Quotes(t, "../README.md", 2)
	golden.Quotes(t, "../docs/simrun.md", 1)
}

func docsTable(t *testing.T, store string) {
	code, table, errs := simrun(t, "matrix", "--expected", "--store", store)
	if code != exitNone {
		t.Fatalf("exit code %d\n%s", code, errs)
	}
	golden.Part(t, "../docs/matrix.md", fmt.Sprintf(tableBegins, store), tableEnds, table)
}
