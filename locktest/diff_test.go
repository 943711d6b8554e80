package locktest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestDiffFlag: a test compares a counterexample of its lock with the nearest passing run, in words
// and as a page, by the command that simrun diff names; the flag alone is an error.
func TestDiffFlag(t *testing.T) {
	slowtest.SkipIfShort(t)
	u, dir := newUser(t), t.TempDir()
	if out, passed := u.test(t, "^TestSound$", "-simrun.out="+dir); !passed {
		t.Fatal(out)
	}
	path := filepath.Join(dir, "TestSound", "gc-pause_mutual-exclusion_limit.json")
	tr, err := traces.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := strings.TrimSuffix(path, ".json") + ".diff.html"
	if want := "go test -v -run '^TestSound$/^gc-pause$' example.com/user/locks -simrun.replay=" + path + " -simrun.diff=" + page; gotest.Diff(tr, path) != want {
		t.Errorf("the command is %s, want %s", gotest.Diff(tr, path), want)
	}
	out, passed := u.test(t, "^TestSound$/^gc-pause$", "-test.v", "-simrun.replay="+path, "-simrun.diff="+page)
	if !passed {
		t.Errorf("it fails\n%s", out)
	}
	says(t, out, "compared with its nearest passing run:", "mutual-exclusion is violated: TestSound under gc-pause", "B  the same without this: ", "Where the runs begin to differ", "page        "+page)
	if html, err := os.ReadFile(page); err != nil || strings.Count(string(html), `<svg id="from`) != 2 {
		t.Errorf("the page does not have both runs: %v", err)
	}
	out, passed = u.test(t, "^TestSound$", "-simrun.diff="+page)
	if passed {
		t.Errorf("it passed\n%s", out)
	}
	says(t, out, "-simrun.diff="+page+": name the counterexample by -simrun.replay")

	// The page does not take the place of the trace, whatever the trace is called.
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "a trace.html")
	if err := os.WriteFile(other, text, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ trace, flag, want string }{
		{path, "-simrun.diff=" + path, "the page is HTML: want a name that ends with .html"},
		{path, "-simrun.report=" + path, "the page is HTML: want a name that ends with .html"},
		{other, "-simrun.diff=" + other, "is the trace itself: name another file for the page"},
	} {
		if out, passed = u.test(t, "^TestSound$", "-simrun.replay="+c.trace, c.flag); passed {
			t.Errorf("%s: it passed\n%s", c.flag, out)
		}
		says(t, out, c.flag, c.want)
		if now, err := os.ReadFile(c.trace); err != nil || string(now) != string(text) {
			t.Errorf("%s: the trace has changed: %v", c.flag, err)
		}
	}
}

// TestReplayTellsOtherFaults: a replay fails if the run shows a fault, whatever was recorded. If
// nothing fails it says so.
func TestReplayTellsOtherFaults(t *testing.T) {
	slowtest.SkipIfShort(t)
	u, dir := newUser(t), t.TempDir()
	t.Cleanup(func() { _ = os.RemoveAll(filepath.Join(u.dir, "testdata", "simrun")) })
	if out, passed := u.test(t, "^TestNaive$", "-simrun.out="+dir); passed {
		t.Fatal(out)
	}
	path := filepath.Join(dir, "TestNaive", "gc-pause_owner-only-release.json")
	tr, err := traces.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tr.Property, tr.Limit, tr.Attribution = "mutual-exclusion", true, nil
	if err := traces.WriteFile(path, tr); err != nil {
		t.Fatal(err)
	}
	out, passed := u.test(t, "^TestNaive$", "-simrun.replay="+path)
	if passed {
		t.Errorf("it passes, though the run has a fault\n%s", out)
	}
	if cells.GoRedis() == cells.OldestGoRedis { // with another, what is said to be a limit may be a fault itself
		says(t, out, "violates\n", "owner-only-release: c1's release removed the lock of c2")
	}

	if out, passed = u.test(t, "^TestSound$", "-simrun.out="+dir); !passed {
		t.Fatal(out)
	}
	path = filepath.Join(dir, "TestSound", "gc-pause_mutual-exclusion_limit.json")
	if out, passed = u.test(t, "^TestSound$", "-simrun.replay="+path); !passed {
		t.Errorf("the replay of a limit fails\n%s", out)
	}
	says(t, out, "-simrun.replay="+path+": no failure; -v tells what the run shows")
}
