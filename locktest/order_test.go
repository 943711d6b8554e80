package locktest_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
)

// inOrder fails unless all parts are there, one after another.
func inOrder(t *testing.T, out string, parts ...string) {
	t.Helper()
	rest := out
	for _, part := range parts {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Errorf("%q is not there, or comes before what precedes it in %q\n%s", part, parts, out)
			return
		}
		rest = after
	}
}

// elsewhere is the user in another directory, in which no case was kept.
func (u *user) elsewhere(t *testing.T) *user {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "locks")
	if err := os.CopyFS(dir, os.DirFS("testdata/user")); err != nil {
		t.Fatal(err)
	}
	return &user{dir: dir, binary: u.binary}
}

// What the tests of the order look for.
const (
	headline = "removed or overwrote the live lock: in 1 of 2 scenarios, gc-pause"
	wrong    = "owner-only-release is violated: TestNaive under gc-pause"
)

// TestToldFirst: with -v, a test prints the fault, the command that replays it and the steps before any line of its
// subtests.
func TestToldFirst(t *testing.T) {
	slowtest.SkipIfShort(t)
	u := newUser(t).elsewhere(t)
	out, _ := u.test(t, "^TestNaive$", "-simrun.seed=1", "-test.v")
	inOrder(t, out, "searching contention", "searching gc-pause", headline, wrong, "What happened", "=== RUN   TestNaive/contention", "contention: none-found",
		"=== RUN   TestNaive/gc-pause", "gc-pause: violation", wrong, "--- PASS: TestNaive/contention (", "--- FAIL: TestNaive/gc-pause (")
}

// TestToldFirstInParallel is the same with go test's usual output, and in tests that run in parallel.
func TestToldFirstInParallel(t *testing.T) {
	slowtest.SkipIfShort(t)
	u := newUser(t).elsewhere(t)
	out, _ := u.test(t, "^TestNaive$", "-simrun.seed=1")
	inOrder(t, out, "--- FAIL: TestNaive (", headline, wrong, "The rule: ", "replay  go test -run ", "What happened", "--- FAIL: TestNaive/gc-pause (", "(see above)")
	out, _ = u.test(t, "^TestParallel$", "-simrun.seed=1", "-simrun.runs=100")
	for _, name := range []string{"TestParallel/a", "TestParallel/b"} {
		_, of, _ := strings.Cut(out, "    --- FAIL: "+name+" (")
		inOrder(t, of, headline, "owner-only-release is violated: "+name+" under gc-pause", "What happened", "--- FAIL: "+name+"/gc-pause (")
		if before, _, _ := strings.Cut(of, headline); strings.Contains(before, "--- FAIL") {
			t.Errorf("subtests come before the report of %s\n%s", name, out)
		}
	}
}

// TestToldFirstInJSON: programs that read go test -json see the report as the test's, and each
// scenario's own result.
func TestToldFirstInJSON(t *testing.T) {
	slowtest.SkipIfShort(t)
	u := newUser(t).elsewhere(t)
	cmd := exec.CommandContext(t.Context(), "go", "tool", "test2json", u.binary, "-test.short", "-test.v=test2json", "-test.run=^TestNaive$", "-simrun.seed=1")
	cmd.Dir, cmd.Env = u.dir, u.env()
	raw, err := cmd.Output()
	if len(raw) == 0 { // it fails, as the test does
		t.Fatal(err)
	}
	var came []string
	for decoder := json.NewDecoder(strings.NewReader(string(raw))); decoder.More(); {
		var e struct{ Action, Test, Output string }
		if err := decoder.Decode(&e); err != nil {
			t.Fatalf("%v\n%s", err, raw)
		}
		switch {
		case strings.Contains(e.Output, " is violated: TestNaive under gc-pause"):
			came = append(came, e.Test+" tells")
		case e.Action == "pass" || e.Action == "fail" || e.Action == "skip":
			came = append(came, e.Test+" "+e.Action)
		}
	}
	if came[0] != "TestNaive tells" || !slices.Contains(came, "TestNaive/gc-pause tells") {
		t.Errorf("%q", came)
	}
	for _, want := range []string{"TestNaive/contention pass", "TestNaive/gc-pause fail", "TestNaive fail"} {
		if !slices.Contains(came, want) {
			t.Errorf("%q has no %q", came, want)
		}
	}
}

// TestSelectedSubtests: of the scenarios only those are searched whose subtests go test's flags select.
func TestSelectedSubtests(t *testing.T) {
	slowtest.SkipIfShort(t)
	u := newUser(t).elsewhere(t)
	for _, test := range []struct {
		pattern  string
		args     []string
		passes   bool
		searches []string
	}{
		{"^TestNaive$/^gc-pause$", nil, false, []string{"gc-pause"}},
		{"^TestNaive$/^contention$", nil, true, []string{"contention"}},
		{"^TestNaive$/^no", nil, true, nil},
		{"^TestNaive$", []string{"-test.skip=^TestNaive$/^gc-pause$"}, true, []string{"contention"}},
		{"^TestNested$/^it/^down$/^gc-pause$", nil, true, []string{"gc-pause"}},
		{"^TestNested$/^it/^down$/^gc-pause#01$", nil, false, []string{"gc-pause"}},
		{"^TestNested$", nil, false, []string{"gc-pause", "gc-pause"}},
		{"^TestMisbehaving$/^panics$", nil, false, []string{"contention", "gc-pause"}},
		{"^TestMisbehaving$/^panics$", []string{"-test.failfast"}, false, []string{"contention"}},
	} {
		out, passed := u.test(t, test.pattern, append([]string{"-test.v", "-simrun.seed=1", "-simrun.runs=100"}, test.args...)...)
		var searches []string
		for _, line := range strings.Split(out, "\n") {
			if _, scenario, ok := strings.Cut(line, ": searching "); ok {
				id, about, _ := strings.Cut(scenario, ", ")
				if searches = append(searches, id); !strings.HasPrefix(about, "100 schedules: ") {
					t.Errorf("what is searched is not told: %q", line)
				}
			}
		}
		if passed != test.passes || !slices.Equal(searches, test.searches) {
			t.Errorf("-run %s %q: passed %t, searched %q, want %t, %q\n%s", test.pattern, test.args, passed, searches, test.passes, test.searches, out)
		}
		if strings.Contains(out, "was not searched") {
			t.Errorf("-run %s: go test runs a subtest that Check left out\n%s", test.pattern, out)
		}
	}
}
