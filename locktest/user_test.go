package locktest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// user is a module of somebody else's that searches its own locks: a copy of
// testdata/user, in package locks below the module's root.
type user struct {
	dir    string   // of the package
	binary string   // its tests
	more   []string // of the environment
	unset  []string // of the environment here
}

// env is the environment of the go command: everything that is needed is there.
func (u *user) env() []string {
	here := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(u.unset, name)
	})
	return append(append(here, "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "GITHUB_ACTIONS=", "PWD="+u.dir), u.more...)
}

// newUser makes the module, and builds its tests once for all.
func newUser(t *testing.T) *user {
	t.Helper()
	dir, err := buildUser()
	if err != nil {
		t.Fatal(err)
	}
	u := &user{dir: filepath.Join(dir, "locks"), binary: filepath.Join(dir, "locks.test")}
	return u
}

var buildUser = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "lockpick-user-")
	if err != nil {
		return "", err
	}
	userDir = dir
	u := &user{dir: dir}
	if err := errors.Join(os.CopyFS(filepath.Join(dir, "locks"), os.DirFS("testdata/user")), u.module("example.com/user")); err != nil {
		return "", err
	}
	return dir, u.run("test", "-c", "-o", "locks.test", "./locks")
})

// module makes the user's directory a module that uses this one.
func (u *user) module(name string) error {
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	const path = "github.com/lockpick-dev/lockpick"
	return errors.Join(
		copyFile(filepath.Join(u.dir, "go.sum"), "../go.sum"),
		copyFile(filepath.Join(u.dir, "go.mod"), "../go.mod"),
		u.run("mod", "edit", "-module="+name, "-require="+path+"@v0.0.0", "-replace="+path+"="+root),
	)
}

// run runs the go command in the user's directory.
func (u *user) run(args ...string) error {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = u.dir, u.env()
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.New("go " + strings.Join(args, " ") + ": " + err.Error() + "\n" + string(out))
	}
	return nil
}

// userDir is removed when all tests have run.
var userDir string

func copyFile(to, from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o666)
}

// test runs the tests of that pattern, with few schedules unless told
// otherwise, and returns what they print.
func (u *user) test(t *testing.T, pattern string, args ...string) (out string, passed bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, u.binary, append([]string{"-test.run=" + pattern, "-test.short"}, args...)...)
	cmd.Dir, cmd.Env = u.dir, u.env()
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return b.String(), err == nil
}

// paste runs a command that was told, from the module's root: as it stands, or
// with -short, since a build takes seconds, by a shell that runs the tests' binary in
// place of go test.
func (u *user) paste(t *testing.T, command string) (out string, passed bool) {
	t.Helper()
	if testing.Short() {
		command = `go() {
			[ "$1 $2 $4 $#" = "test -run example.com/user/locks 5" ] && cd locks && "` + u.binary + `" -test.short -test.run="$3" "$5"
		}
		` + command
	}
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir, cmd.Env = filepath.Dir(u.dir), u.env()
	text, err := cmd.CombinedOutput()
	return string(text), err == nil
}

// replay is the command that a failing test says first.
func replay(t *testing.T, out string) string {
	t.Helper()
	at := strings.Index(out, "go test ")
	if at < 0 {
		t.Fatalf("there is no command\n%s", out)
	}
	line, _, _ := strings.Cut(out[at:], "\n")
	return line
}

// says fails unless all parts are there.
func says(t *testing.T, out string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(out, part) {
			t.Errorf("it does not say %q\n%s", part, out)
		}
	}
}

// TestFault is about a fault: how it is told, kept, tried first and replayed,
// and what becomes of the case when the lock is mended.
func TestFault(t *testing.T) {
	slowtest.SkipIfShort(t)
	u := newUser(t)
	const kept = "testdata/simrun/TestNaive/gc-pause_owner-only-release.json"
	out, passed := u.test(t, "^TestNaive$")
	if passed {
		t.Fatalf("it passed\n%s", out)
	}
	says(t, out, "--- FAIL: TestNaive/gc-pause", "owner-only-release is violated: TestNaive under gc-pause", "What happened",
		"removed or overwrote the live lock: in 1 of 2 scenarios, gc-pause\n", "  needs   ", " pauses for ",
		"mutual-exclusion is violated: TestNaive under gc-pause", "limit of leases, not a fault: ", "locks_test.go:")
	if strings.Contains(out, "--- FAIL: TestNaive/contention") {
		t.Errorf("nothing is wrong in contention\n%s", out)
	}
	command := replay(t, out)
	if want := `go test -run '^TestNaive$/^gc-pause$' example.com/user/locks -simrun.replay=` + kept; command != want {
		t.Errorf("the command is %s, want %s", command, want)
	}

	text, passed := u.paste(t, command)
	if passed {
		t.Errorf("the replay passes\n%s", text)
	}
	says(t, text, "owner-only-release is violated: TestNaive under gc-pause", "replayed from "+kept, command)

	again, _ := u.test(t, "^TestNaive$", "-test.v")
	says(t, again, "the kept case "+kept+" was tried first", command)
	if strings.Contains(again, "gc-pause: violation") {
		t.Errorf("it searched although the kept case fails\n%s", again)
	}
	all, _ := u.test(t, "^TestNaive$/^gc-pause$", "-simrun.seed=1", "-simrun.runs=200", "-test.v")
	says(t, all, "no kept case was tried", "mutual-exclusion is violated: TestNaive under gc-pause", "a limit of leases, not a fault of the lock", "What was judged", command)
	_, told, _ := strings.Cut(out, "live lock: in 1 of 2 scenarios, gc-pause\n")
	told, _, limits := strings.Cut(told, "limit of leases")
	if told == "" || !limits {
		t.Errorf("the story is not there\n%s", out)
	}
	says(t, all, told) // it is told in the same words with -v
	cases := []string{filepath.Join(u.dir, filepath.Dir(kept), "gc-pause_mutual-exclusion.json"), filepath.Join(u.dir, kept)}
	if files, err := filepath.Glob(filepath.Join(u.dir, filepath.Dir(kept), "*")); !slices.Equal(files, cases) || err != nil {
		t.Errorf("one case of each cause is kept, and what is found again is the same: %v, %v", files, err)
	}
	u.mended(t, kept)
}

// mended gives the case of one lock to another that has not that fault.
func (u *user) mended(t *testing.T, kept string) {
	t.Helper()
	for _, name := range []string{"TestSound", "TestExpect", "TestLeftOut"} {
		dir := filepath.Join(u.dir, "testdata", "simrun", name)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := copyFile(filepath.Join(dir, filepath.Base(kept)), filepath.Join(u.dir, kept)); err != nil {
			t.Fatal(err)
		}
	}
	out, passed := u.test(t, "^TestSound$", "-test.v")
	if !passed {
		t.Errorf("a case that no longer fails\n%s", out)
	}
	says(t, out, "TestSound/gc-pause_owner-only-release.json no longer fails", "gc-pause: violation, 200 schedules", "contention: none-found, 200 schedules")
	if _, err := os.Stat(filepath.Join(u.dir, "testdata", "simrun", "TestSound", filepath.Base(kept))); err != nil {
		t.Error(err)
	}
	if out, passed = u.test(t, "^TestExpect$", "-simrun.runs=100"); !passed {
		t.Errorf("an expected violation fails\n%s", out)
	}
	if out, passed = u.test(t, "^TestLeftOut$", "-test.v", "-simrun.runs=40"); !passed {
		t.Errorf("a violation of what is not judged fails\n%s", out)
	}
	says(t, out, "was not tried: locktest.Properties leaves owner-only-release out", "gc-pause: none-found")
}

// TestOptions is about options and flags.
func TestOptions(t *testing.T) {
	slowtest.SkipIfShort(t)
	u := newUser(t)
	for _, test := range []struct {
		test   string
		args   []string
		passes bool
		says   []string
	}{
		{"TestStrict", nil, false, []string{"mutual-exclusion is violated: TestStrict under gc-pause", "it fails because of locktest.Strict"}},
		{"TestExpectInVain", nil, false, []string{"expected owner-only-release to be violated under gc-pause; none found in 300 schedules"}},
		{"TestBound", []string{"-test.v"}, true, []string{"contention: exhausted, ", "all within bound 1"}},
		{"TestMistakes", nil, false, []string{"Runs(0): want at least 1", "Bound(-1): want 0 to 20", `there is no scenario "gc-pase"`, `there is no property "mutual"`, `clients="99"`}},
		{"TestNoisy", []string{"-test.v", "-simrun.runs=30", "-simrun.seed=5"}, true, []string{"contention: none-found, 30 schedules"}},
		{"TestNoisy", []string{"-simrun.runs=many"}, false, []string{"-simrun.runs=many: want a number, at least 1"}},
		{"TestNoisy", []string{"-simrun.replay=none.json"}, false, []string{"-simrun.replay: ", "none.json"}},
		{"TestNested", nil, false, []string{
			`go test -run '^TestNested$/^it'\''s_\(one\)_level$/^down$/^gc-pause$' example.com/user/locks -simrun.replay=testdata/simrun/TestNested/it_s__one__level-`,
			"/down/call-2/gc-pause_owner-only-release.json"}},
		{"TestExpect", []string{"-test.v", "-simrun.runs=100"}, true, []string{"owner-only-release is violated", "this violation is expected"}},
		{"TestExpect", []string{"-test.v"}, true, []string{"searching gc-pause, up to 2000 schedules: ", "gc-pause: violation, 200 schedules"}},
		{"TestSound", []string{"-test.v", "-simrun.time=0", "-simrun.runs=50"}, true, []string{"contention: none-found, 50 schedules"}},
		{"TestSound$/^gc-pause", []string{"-test.v"}, true, []string{"gc-pause: violation, 200 schedules"}}, // a scenario alone, with the time of -short
		{"TestSound", []string{"-simrun.time=soon"}, false, []string{"-simrun.time=soon: want a duration such as 30s, at least 0"}},
		{"TestSound", []string{"-test.v", "-simrun.time=1ms"}, true, []string{
			"lockpick: the processor time of this call (1ms) has ended in 2 of 2 scenarios before all schedules were run:",
			"contention: the time ended after ", " of 200 schedules; none found in them\n", "For the rest run a scenario alone (-run '^TestSound$/^contention$'), or all with more -simrun.time.",
			"contention: inconclusive, ", "--- SKIP: TestSound/contention", "--- SKIP: TestSound/gc-pause"}},
		{"TestSound", []string{"-test.v", "-simrun.time=0,wall=1ms"}, true, []string{
			"lockpick: the time of this call (1ms by the clock) has ended in 2 of 2 scenarios before all schedules were run:",
			"contention: the time ended after ", " of 200 schedules; none found in them\n", "or all with a longer -simrun.time.",
		}},
		{"TestSound", []string{"-test.v", "-simrun.time=wall=1h", "-simrun.runs=50"}, true, []string{"contention: none-found, 50 schedules"}},
		{"TestExpectInVain", []string{"-test.v", "-simrun.time=1ms"}, true, []string{" of 300 schedules; ", "--- SKIP: TestExpectInVain/gc-pause"}},
		{"TestRenews", []string{"-test.v"}, true, []string{"overrun is violated: TestRenews under watchdog-late", "this violation is expected"}},
		{"TestAstray", nil, false, []string{"a worker process did not reach call 1 of Check or Explore in TestAstray: it ended without an error before it served", "-test.run='^TestAstray$'", "PASS"}},
	} {
		if testing.Short() && test.test == "TestRenews" {
			continue // it searches for long
		}
		t.Run(test.test+strings.Join(test.args, ""), func(t *testing.T) {
			out, passed := u.test(t, "^"+test.test+"$", test.args...)
			if passed != test.passes {
				t.Errorf("passed: %v\n%s", passed, out)
			}
			says(t, out, test.says...)
		})
	}
}

// TestGitHub: in a step of GitHub Actions a cause has an annotation at the line of the lock, other errors have one at the call of Check, and
// the step's summary has the counterexample.
func TestGitHub(t *testing.T) {
	slowtest.SkipIfShort(t)
	u := newUser(t)
	dir := t.TempDir()
	u.more = []string{"GITHUB_ACTIONS=true", "GITHUB_WORKSPACE=" + filepath.Dir(u.dir), "GITHUB_STEP_SUMMARY=" + filepath.Join(dir, "summary")}
	summary := func() string {
		text, err := os.ReadFile(filepath.Join(dir, "summary"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	line := func(call string) int {
		text, err := os.ReadFile(filepath.Join(u.dir, "locks.go"))
		before, _, found := strings.Cut(string(text), call)
		if err != nil || !found {
			t.Fatalf("there is no %s: %v", call, err)
		}
		return strings.Count(before, "\n") + 1
	}
	out, _ := u.test(t, "^TestNaive$", "-simrun.seed=1")
	at := fmt.Sprintf("::error file=locks/locks.go,line=%d,title=Lockpick%%3A ", line("return rdb.Del(ctx, l.key)"))
	says(t, out, at, "removed or overwrote the live lock::owner-only-release is violated: TestNaive under gc-pause%0A", "%0Ago test -run '^TestNaive$/^gc-pause$' example.com/user/locks -simrun.replay=")
	says(t, out, "::mutual-exclusion is violated: TestNaive under gc-pause%0A")
	if n := strings.Count(out, "::error "); n != 2 {
		t.Errorf("%d annotations, want one for each of the two causes\n%s", n, out)
	}
	text := summary()
	says(t, text, "## Lockpick: TestNaive\n", "### owner-only-release is violated: TestNaive under gc-pause\n", "| time | who | what |", "```mermaid\nsequenceDiagram\n", "limit of leases, not a fault: ")

	out, _ = u.test(t, "^TestExpectInVain$")
	says(t, out, "title=Lockpick%3A TestExpectInVain::expected owner-only-release to be violated under gc-pause; none found in 300 schedules")
	if out, passed := u.test(t, "^TestBound$"); !passed || strings.Contains(out, "::") {
		t.Errorf("passed: %v\n%s", passed, out)
	}
	if text = strings.TrimPrefix(summary(), text); !strings.Contains(text, "## Lockpick: TestBound\n\nNo fault was found in 1 scenario.") {
		t.Errorf("the summary of tests that come later:\n%s", text)
	}
	for _, name := range []string{"panics", "nil"} {
		if out, _ := u.test(t, "^TestMisbehaving$/^"+name+"$", "-simrun.runs=40"); strings.Count(out, "::error file=locks/locks_test.go,line=") != 1 {
			t.Errorf("%s: not one annotation\n%s", name, out)
		}
	}
}

// TestReplayOfSecondCall replays a case of a test that calls Check twice.
func TestReplayOfSecondCall(t *testing.T) {
	slowtest.SkipIfShort(t)
	u := newUser(t)
	out, _ := u.test(t, "^TestNested$")
	_, path, _ := strings.Cut(replay(t, out), "-simrun.replay=")
	out, passed := u.test(t, "^TestNested$", "-test.v", "-simrun.replay="+path)
	if passed {
		t.Errorf("it passed\n%s", out)
	}
	says(t, out, "belongs to call 2 in TestNested/it's_(one)_level/down; nothing was run here", "replayed from "+path)

	// A command that does not run the trace's test has replayed nothing.
	out, passed = u.test(t, "^TestNoisy$", "-simrun.replay="+path)
	if passed {
		t.Errorf("it passed\n%s", out)
	}
	says(t, out, "the trace is of TestNested/it's_(one)_level/down in example.com/user/locks, which this command does not run; replay it by", "go test -v -run '^TestNested$/")
}

// TestOut is about where traces and pictures go, and that they are whole.
func TestOut(t *testing.T) {
	slowtest.SkipIfShort(t)
	u, dir, artifacts := newUser(t), t.TempDir(), t.TempDir()
	out, passed := u.test(t, "^TestSound$", "-test.v", "-simrun.out="+dir, "-test.artifacts", "-test.outputdir="+artifacts, "-test.cpuprofile=cpu.out")
	if !passed {
		t.Fatal(out)
	}
	path := filepath.Join(dir, "TestSound", "gc-pause_mutual-exclusion_limit.json")
	says(t, out, "trace       "+path, "-simrun.replay="+path)
	tr, err := traces.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := (traces.Test{Name: "TestSound", Package: "example.com/user/locks", Call: 1}); tr.Test == nil || *tr.Test != want || tr.Lock != "TestSound" {
		t.Errorf("it is of %+v and the lock %s", tr.Test, tr.Lock)
	}
	page, err := os.ReadFile(strings.TrimSuffix(path, ".json") + ".html")
	if err != nil || !bytes.Contains(page, []byte("^TestSound$/^gc-pause$")) {
		t.Errorf("the picture: %v", err)
	}
	found := 0
	err = filepath.WalkDir(artifacts, func(path string, _ os.DirEntry, err error) error {
		if name := filepath.Base(path); name == "gc-pause_mutual-exclusion_limit.json" || name == "gc-pause_mutual-exclusion_limit.html" {
			found++
		}
		return err
	})
	if err != nil || found != 2 {
		t.Errorf("%d files among the artifacts, %v\n%s", found, err, out)
	}
}

// TestExplore: it returns what it finds and does not fail.
func TestExplore(t *testing.T) {
	slowtest.SkipIfShort(t)
	u := newUser(t)
	out, passed := u.test(t, "^TestExplore$")
	var r locktest.Report
	if err := json.NewDecoder(strings.NewReader(out)).Decode(&r); err != nil || !passed {
		t.Fatalf("%v\n%s", err, out)
	}
	found := map[model.Violation]bool{}
	for _, f := range r.Findings {
		if f.Scenario != "gc-pause" || f.Seed != 7 || f.Trace == nil || f.Trace.Property != f.Property {
			t.Errorf("%+v", f)
		}
		found[model.Violation{Property: f.Property, Limit: f.Limit}] = true
	}
	if !found[model.Violation{Property: "mutual-exclusion", Limit: true}] {
		t.Errorf("no limit: %v", found)
	}
	if !found[model.Violation{Property: "owner-only-release"}] {
		t.Errorf("no fault: %v", found)
	}
	if len(r.Results) != 1 || r.Results[0].Result != "violation" || r.Results[0].Schedules != 200 || len(r.NotSearched) != 0 {
		t.Errorf("%+v, not searched %q", r.Results, r.NotSearched)
	}
}

// TestExploreCut: shortly before go test's time-out Explore fails, and returns what it has; it begins no other scenario.
func TestExploreCut(t *testing.T) {
	slowtest.SkipIfShort(t)
	out, passed := newUser(t).test(t, "^TestExploreCut$", "-simrun.runs=1000000", "-test.timeout=20s")
	if passed {
		t.Error("it passed")
	}
	says(t, out, "contention: after ", "interrupted shortly before go test's time-out", "contention: cut true, some schedules true", "--- FAIL: TestExploreCut")
	if strings.Contains(out, "gc-pause: cut") {
		t.Errorf("it went on\n%s", out)
	}
}

// TestTimestampIsTold: what no schedule can show is in the report, and is logged.
func TestTimestampIsTold(t *testing.T) {
	slowtest.SkipIfShort(t)
	out, passed := newUser(t).test(t, "^TestTimestamp$", "-test.v")
	if !passed {
		t.Error("it failed")
	}
	says(t, out, `["two processes that see the same time: what the lock writes (9466848`, "lockpick: not searched: two processes that see the same time: what the lock writes (9466848", "made of package time's nanoseconds alone")
}
