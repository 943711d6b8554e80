package locktest_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// buildSimrun builds program simrun for the module of the user.
var buildSimrun = sync.OnceValues(func() (string, error) {
	dir, err := buildUser()
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "simrun")
	return program, (&user{dir: dir}).run("build", "-o", program, "github.com/lockpick-dev/lockpick/cmd/simrun")
})

// simrun runs program simrun in a directory of the user's module.
func (u *user) simrun(t *testing.T, dir string, args ...string) (code int, out, errs string) {
	t.Helper()
	program, err := buildSimrun()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	var o, e bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(u.env(), "PWD="+dir), &o, &e
	var exit *exec.ExitError
	if err = cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), o.String(), e.String()
}

// found is a trace that a search of a test of the user's has left as it was found.
func (u *user) found(t *testing.T, test, name string) (path string, tr *traces.Trace) {
	t.Helper()
	dir := t.TempDir()
	u.test(t, "^"+test+"$", "-simrun.out="+dir)
	path = filepath.Join(dir, test, name)
	tr, err := traces.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, tr
}

// TestSimrun: program simrun replays, compares and shrinks a trace of a test as one of its own, from any directory of the module, and what
// it writes is relative to that. A trace that names no package of the module starts nothing.
func TestSimrun(t *testing.T) {
	slowtest.SkipIfShort(t)
	u := newUser(t)
	path, old := u.found(t, "TestExplore", "gc-pause_owner-only-release.json")
	here := filepath.Join(filepath.Dir(u.dir), "deep", "er")
	if err := os.MkdirAll(here, 0o777); err != nil {
		t.Fatal(err)
	}

	again := filepath.Join(here, "again.json")
	code, out, errs := u.simrun(t, here, "replay", "-o", "again.json", path)
	if code != 1 || errs != "" {
		t.Errorf("replay: exit code %d\n%s%s", code, out, errs)
	}
	says(t, out, "owner-only-release is violated: TestExplore under gc-pause", " events, hash "+old.Hash+", as recorded")
	one, err := os.ReadFile(path)
	two, other := os.ReadFile(again)
	if err != nil || other != nil || !bytes.Equal(one, two) {
		t.Errorf("the replayed trace differs: %v, %v", err, other)
	}

	code, out, errs = u.simrun(t, here, "shrink", path, "-o", "small.json")
	if code != 0 || errs != "" {
		t.Errorf("shrink: exit code %d\n%s%s", code, out, errs)
	}
	says(t, out, "What it needs", "trace       small.json\n", " replay small.json\n")
	small, err := traces.ReadFile(filepath.Join(here, "small.json"))
	if err != nil || small.Shrunk == nil || small.Shrunk.To > explore.CountDeviations(old.Tape) || small.Test == nil || *small.Test != *old.Test {
		t.Errorf("%v, %+v", err, small)
	}

	code, out, errs = u.simrun(t, here, "diff", "small.json", "-o", "page.html")
	if code != 1 || errs != "" {
		t.Errorf("diff: exit code %d\n%s%s", code, out, errs)
	}
	says(t, out, "Where the runs begin to differ", "B  the same without this: ", "wrote page.html")
	if html, err := os.ReadFile(filepath.Join(here, "page.html")); err != nil || strings.Count(string(html), `<svg id="from`) != 2 {
		t.Errorf("the page does not have both runs: %v", err)
	}
	u.simrunRefuses(t, here, old)
}

// simrunRefuses: what a trace names is never run unless it is a package of the module.
func (u *user) simrunRefuses(t *testing.T, here string, old *traces.Trace) {
	for pkg, want := range map[string]string{
		"":                                "it does not name the package",
		"-exec=sh":                        "is no import path",
		"./locks":                         "is no import path",
		"/tmp":                            "is no import path",
		"example.com/user/../user/locks":  "is no import path",
		"example.com/user/...":            "is no import path",
		"example.com/user/locks; touch x": "is no import path",
		"example.com/elsewhere/locks":     "call simrun in the module of that package",
		"github.com/lockpick-dev/lockpick/locktest": "it is no package of the module of the working directory",
		"fmt": "it is no package of the module of the working directory",
	} {
		hostile := *old
		hostile.Test = &traces.Test{Name: old.Test.Name, Package: pkg, Call: 1}
		path := filepath.Join(t.TempDir(), "x.json")
		if err := traces.WriteFile(path, &hostile); err != nil {
			t.Fatal(err)
		}
		code, out, errs := u.simrun(t, here, "replay", path)
		if code != 2 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%q: exit code %d, without %q\n%s%s", pkg, code, want, out, errs)
		}
	}
	gone := *old
	gone.Test = &traces.Test{Name: "TestGone", Package: old.Test.Package, Call: 1}
	path := filepath.Join(t.TempDir(), "gone.json")
	if err := traces.WriteFile(path, &gone); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := u.simrun(t, here, "replay", path); code != 5 || out != "" || !strings.Contains(errs, "did not reach call 1 of Check or Explore in TestGone: ") {
		t.Errorf("a test that is gone: exit code %d\n%s%s", code, out, errs)
	}
}

// TestSimrunConfirm: program simrun tries a counterexample of a test on a real server, whose clients are the test binary, by the command
// that the test prints, from any directory of the module.
func TestSimrunConfirm(t *testing.T) {
	slowtest.SkipIfShort(t)
	realredis.Need(t)
	u := newUser(t)
	t.Cleanup(func() { _ = os.RemoveAll(filepath.Join(u.dir, "testdata", "simrun")) })
	out, _ := u.test(t, "^TestNaive$")
	const named = "example.com/user/locks/testdata/simrun/TestNaive/gc-pause_owner-only-release.json"
	says(t, out, "confirm go run github.com/lockpick-dev/lockpick/cmd/simrun confirm "+named+"\n")
	code, out, errs := u.simrun(t, filepath.Dir(u.dir), "confirm", "--tries", "2", "--write", named)
	if code != 1 && code != 3 || errs != "" {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	says(t, out, "owner-only-release (", " of TestNaive under gc-pause on redis-server ", " of 2 tries")
	tr, err := traces.ReadFile(filepath.Join(u.dir, "testdata", "simrun", "TestNaive", filepath.Base(named)))
	if err != nil || len(tr.Confirmations) != 1 || tr.Confirmations[0].Of != 2 {
		t.Errorf("%v: the trace has %+v", err, tr.Confirmations)
	}
}
