package locktest_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/locktest/internal/rapidtape"
	"github.com/lockpick-dev/lockpick/locktest/rapidtest"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/traces"
)

// knownLock is one of the locks by its id.
func knownLock(t testing.TB, id string) cell.Lock {
	t.Helper()
	l, err := scenarios.Registry(cells.Locks()).Lock(id)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// propertyMark names the scenario and the lock of TestPropertyHelper.
const propertyMark = "LOCKPICK_TEST_PROPERTY"

// TestPropertyHelper is a user's test that fails, for TestPropertyFailFile. It prints how often
// rapid asked for a run.
func TestPropertyHelper(t *testing.T) {
	scenario, id, given := strings.Cut(os.Getenv(propertyMark), "/")
	if !given {
		t.Skip("it is run by others")
	}
	property, runs := propertyOf(t, scenario, id), 0
	defer func() { fmt.Printf("rapid asked for %d runs\n", runs) }()
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		property(rt)
	})
}

// propertyOf is that of a lock by its id, or of a program.
func propertyOf(t *testing.T, scenario, id string) func(*rapid.T) {
	if id != "charge" {
		return rapidtest.SubjectProperty(scenario, redisstore.Store, knownLock(t, id).Subject)
	}
	p := charge(false)
	p.Variants = []locktest.Program{charge(true)}
	return rapidtest.ProgramProperty(scenario, p)
}

// charge charges an account once, under a lock that expires, and takes its time. Careful notes the charge first, if nobody has.
func charge(careful bool) locktest.Program {
	return locktest.Program{
		Summary: "a charge that is noted first",
		Stores:  []locktest.Store{redisstore.Store},
		Rules:   []program.Rule{program.AtMostOnce("no account is charged twice", "charge")},
		Main: func(p *locktest.Process) error {
			rdb, ctx := redisstore.Connect(p), p.Context()
			for ctx.Err() == nil {
				if mine, err := rdb.SetNX(ctx, "lock", p.Name(), p.TTL()).Result(); err != nil || !mine {
					p.Clock().Sleep(p.TTL() / 4)
					continue
				}
				if careful {
					if first, err := rdb.SetNX(ctx, "charged", p.Name(), 0).Result(); err != nil || !first {
						return nil
					}
				} else if rdb.Get(ctx, "charged").Err() == nil {
					return nil
				}
				p.Clock().Sleep(p.TTL() / 2)
				p.Effect("charge", "alice")
				rdb.Set(ctx, "charged", p.Name(), 0)
				return nil
			}
			return nil
		},
	}
}

// userTest runs TestPropertyHelper in a directory and returns what it prints.
// It must fail.
func userTest(t *testing.T, dir, what string, args ...string) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, append([]string{"-test.run=^TestPropertyHelper$"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), propertyMark+"="+what)
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("%s passed with %v\n%s", what, args, out)
	}
	return string(out)
}

var (
	shrunkLine   = regexp.MustCompile(`shrunk      from (\d+) deviations? to (\d+), in `)
	recordedLine = regexp.MustCompile(`(?m)^ *recorded .*\n`)
	runsLine     = regexp.MustCompile(`(?m)^rapid asked for (\d+) runs$`)
	afterTests   = regexp.MustCompile(`failed after (\d+) tests: ([a-z-]+) is violated\n`)
)

// storyOf is the story that a failing test tells, up to where its trace is. It must be told
// once.
func storyOf(t *testing.T, out string) string {
	t.Helper()
	_, story, told := strings.Cut(strings.Replace(out, " is broken: ", " is violated: ", 1), " is violated: TestPropertyHelper under ")
	story, _, traced := strings.Cut(story, "trace       ")
	if !told || !traced || strings.Count(out, "What happened\n") != 1 {
		t.Fatalf("the story is not told once\n%s", out)
	}
	return story
}

// TestPropertyFailFile: a fault is found and shrunk by Lockpick to what it needs, its story
// told once, and rapid's ways to reproduce it and the replay of its trace tell it alike.
func TestPropertyFailFile(t *testing.T) {
	slowtest.SkipIfShort(t)
	cells.WithOldestGoRedis(t, "what a seed of rapid finds")
	t.Parallel()
	const what = "two-step-release/setpx-twostep"
	dir := t.TempDir()
	out := userTest(t, dir, what, "-rapid.seed=5", "-rapid.checks=2000")
	story := storyOf(t, out)
	golden.File(t, "testdata/property_story.golden", recordedLine.ReplaceAllString(story, ""))
	// Rapid alone kept dozens of the deviations after half a minute.
	if n := shrunkLine.FindStringSubmatch(story); n == nil || n[2] != "1" || len(n[1]) < 2 {
		t.Errorf("shrunk %q", n)
	}
	// Its own shrinking, to its end, would be some 15,000 runs.
	if n := runsLine.FindStringSubmatch(out); n == nil || len(n[1]) > 3 {
		t.Errorf("%q, so that its own shrinking had not ended", n)
	}
	const kept = "testdata/simrun/TestPropertyHelper/two-step-release_owner-only-release.json"
	const command = "go test -run '^TestPropertyHelper$' github.com/lockpick-dev/lockpick/locktest -simrun.replay=" + kept
	if !strings.Contains(out, "found by    rapid\n") || !strings.Contains(out, command+"\n") {
		t.Errorf("it does not say how to replay it\n%s", out)
	}
	tests := afterTests.FindStringSubmatch(out)
	files, err := filepath.Glob(filepath.Join(dir, "testdata", "rapid", "TestPropertyHelper", "*.fail"))
	if err != nil || len(files) != 1 || tests == nil {
		t.Fatalf("fail files: %v, %v\n%s", files, err, out)
	}
	if text, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(text), "# ✗ ") {
		t.Errorf("the fail file does not tell the story: %v\n%s", err, text)
	}
	for name, again := range map[string]string{
		"the fail file that is there": userTest(t, dir, what),
		"a fail file by name":         userTest(t, t.TempDir(), what, "-rapid.failfile="+files[0]),
		"the same fail file twice":    userTest(t, dir, what, "-rapid.failfile="+files[0]),
	} {
		if got := storyOf(t, again); got != story || !strings.Contains(again, "failed after 0 tests: "+tests[2]+" is violated\n") {
			t.Errorf("%s tells\n%s\nwant\n%s", name, again, story)
		}
	}
	again := userTest(t, t.TempDir(), what, "-rapid.seed=5", "-rapid.checks=2000", "-rapid.shrinktime=0s")
	if got := afterTests.FindStringSubmatch(again); got == nil || got[1] != tests[1] || shrunkLine.FindStringSubmatch(again)[2] != "1" {
		t.Errorf("the same seed gives %v, want %v", got, tests)
	}
	propertyReplay(t, dir, what, kept, story)
	propertyFlags(t, filepath.Join(dir, kept), what)
}

// propertyReplay replays the trace that a property has kept, in the directory of its test and
// in another one.
func propertyReplay(t *testing.T, dir, what, kept, story string) {
	t.Helper()
	tr, err := traces.ReadFile(filepath.Join(dir, kept))
	if err != nil || tr.Test == nil || tr.Test.Name != "TestPropertyHelper" || tr.Strategy != "rapid" {
		t.Fatalf("the trace is of %+v: %v", tr, err)
	}
	other := t.TempDir()
	again := userTest(t, other, what, "-simrun.replay="+filepath.Join(dir, kept))
	told := strings.Replace(storyOf(t, again), "note        replayed from "+filepath.Join(dir, kept)+"\n", "", 1)
	// The output of tests is indented.
	told = strings.TrimRight(told, " ")
	if strings.TrimRight(story, " ") != told || !strings.Contains(again, "failed after 0 tests: owner-only-release is violated\n") {
		t.Errorf("the replay prints\n%s\nwant\n%s", again, story)
	}
	if files, err := os.ReadDir(other); err != nil || len(files) > 0 {
		t.Errorf("a replay keeps %v, %v", files, err)
	}
	// A lock that is mended shows nothing any more, and the other tests do not run the trace.
	if out := passing(t, other, "two-step-release/setpx", "-simrun.replay="+filepath.Join(dir, kept)); !strings.Contains(out, "it no longer fails (owner-only-release)") {
		t.Errorf("it does not say so\n%s", out)
	}
	for path, want := range map[string]string{
		"none.json": "-simrun.replay: open ",
		filepath.Join(dir, "testdata", "other.json"): "the trace is of TestOther in example.com/x, which this command does not run",
	} {
		tr.Test = &traces.Test{Name: "TestOther", Package: "example.com/x", Call: 1}
		if err := traces.WriteFile(filepath.Join(dir, "testdata", "other.json"), tr); err != nil {
			t.Fatal(err)
		}
		if out := userTest(t, other, what, "-simrun.replay="+path); !strings.Contains(out, want) {
			t.Errorf("%s: no %q in\n%s", path, want, out)
		}
	}
}

// propertyFlags has the test binary of a property shrink its trace, as simrun does, and replays a trace that is of no test.
func propertyFlags(t *testing.T, path, what string) {
	t.Helper()
	tr, err := traces.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary := &recorded.Binary{Path: program, Dir: t.TempDir(), Test: *tr.Test}
	served, err := binary.Start(t.Context(), propertyMark+"="+what)
	if err != nil {
		t.Fatal(err)
	}
	defer served.Close()
	var out bytes.Buffer
	small := filepath.Join(t.TempDir(), "small.json")
	how := recorded.Output{Program: "simrun", Out: &out, Err: &out, Width: 100, Show: func(string, ...any) {}, Clear: func() {}}
	if err := served.Run(&recorded.Shrink{Trace: path, Out: small, Budget: 100, Jobs: 1}, how); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if one, err := traces.ReadFile(small); err != nil || one.Shrunk == nil || one.Test == nil || *one.Test != *tr.Test {
		t.Errorf("%v: the shrunk trace is %+v", err, one)
	}
	if err := served.Run(&recorded.Replay{Trace: small, Procs: 1}, how); !errors.Is(err, recorded.Exit(recorded.ExitViolation)) {
		t.Errorf("the replay ends with %v\n%s", err, out.String())
	}
	tr.Test = nil
	other := filepath.Join(t.TempDir(), "other.json")
	if err := traces.WriteFile(other, tr); err != nil {
		t.Fatal(err)
	}
	says(t, userTest(t, t.TempDir(), what, "-simrun.replay="+other), "failed after 0 tests: owner-only-release is violated\n", "-simrun.replay="+other)
}

// passing is userTest for a test that passes.
func passing(t *testing.T, dir, what string, args ...string) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, append([]string{"-test.run=^TestPropertyHelper$", "-test.v"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), propertyMark+"="+what)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s failed with %v\n%s", what, args, out)
	}
	return string(out)
}

// TestPropertyHolds: a sound lock passes, and so does one that loses what any lease does, unless the property is strict.
func TestPropertyHolds(t *testing.T) {
	rapid.Check(t, rapidtest.StrictSubjectProperty("contention", redisstore.Store, knownLock(t, "setpx").Subject))
	rapid.Check(t, rapidtest.SubjectProperty("gc-pause", redisstore.Store, knownLock(t, "setpx").Subject))
	rapid.Check(t, rapidtest.SubjectProperty("failover-loss", redisstore.Store, knownLock(t, "setpx").Subject))
}

// fakeTB is a test that may fail.
type fakeTB struct {
	rapid.TB
	text   strings.Builder
	failed bool
}

func (f *fakeTB) Helper()                    {}
func (f *fakeTB) Name() string               { return "TestFake" }
func (f *fakeTB) Failed() bool               { return f.failed }
func (f *fakeTB) FailNow()                   { f.failed = true; runtime.Goexit() }
func (f *fakeTB) Log(args ...any)            { fmt.Fprintln(&f.text, args...) }
func (f *fakeTB) Logf(s string, args ...any) { fmt.Fprintf(&f.text, s+"\n", args...) }
func (f *fakeTB) Errorf(s string, args ...any) {
	f.failed = true
	f.Logf(s, args...)
}

// failing checks a property that must fail, with little shrinking, and returns
// what is printed.
func failing(t *testing.T, property func(*rapid.T), checks string) string {
	t.Helper()
	return shrunkWithin(t, "200ms", property, checks)
}

// shrunkWithin is failing with more time, or less, for rapid to shrink.
func shrunkWithin(t *testing.T, limit string, property func(*rapid.T), checks string) string {
	t.Helper()
	for name, value := range map[string]string{"rapid.nofailfile": "true", "rapid.shrinktime": limit, "rapid.checks": checks} {
		old := flag.Lookup(name).Value.String()
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = flag.Set(name, old) }() // it was good before
	}
	f := &fakeTB{}
	over := make(chan struct{})
	go func() {
		defer close(over)
		rapid.Check(f, property)
	}()
	<-over
	if !f.failed {
		t.Fatalf("it passed\n%s", f.text.String())
	}
	return f.text.String()
}

// TestPropertyTwice: a property may be checked again, and fails as before.
func TestPropertyTwice(t *testing.T) {
	property := rapidtest.SubjectProperty("two-step-release", redisstore.Store, knownLock(t, "setpx-twostep").Subject)
	for range 3 {
		out := shrunkWithin(t, "0s", property, "5000")
		if !afterTests.MatchString(out) || strings.Contains(out, "flaky") || strings.Contains(out, "in a smaller run") {
			t.Errorf("it ends otherwise\n%s", out)
		}
	}
}

// TestStrictProperty: limits fail if that is asked for.
func TestStrictProperty(t *testing.T) {
	out := failing(t, rapidtest.StrictSubjectProperty("gc-pause", redisstore.Store, knownLock(t, "setpx").Subject), "5000")
	if !strings.Contains(out, checker.MutualExclusion+" is violated") {
		t.Error(out)
	}
}

// broken is a lock whose Acquire does as told.
type broken func()

func (f broken) Acquire(context.Context) (lock.Lease, error) {
	f()
	return nil, lock.ErrNotAcquired
}

// TestPropertyMisbehaviour: what a lock does to its own run fails, with a
// message that says what it was.
func TestPropertyMisbehaviour(t *testing.T) {
	acquire := func(f func()) cell.Subject {
		return cell.Mutex(func(*cell.Client) lock.Locker { return broken(f) })
	}
	for _, test := range []struct {
		name    string
		subject cell.Subject
		wants   []string
	}{
		{"a panic", acquire(func() { panic("boom") }), []string{"] failed after 0 tests: the run crashed: in c", ": panic: boom", "property_test.go:"}},
		{"a panic in the constructor", cell.Mutex(func(*cell.Client) lock.Locker { panic("boom") }), []string{": the run crashed: panic: boom", "property_test.go:"}},
		{"FailNow", acquire(func() { runtime.Goexit() }), []string{"the goroutine was ended by runtime.Goexit"}},
		{"a leak", acquire(func() { go func() { select {} }(); panic("boom") }), []string{": panic: boom"}},
		{"another leak", cell.Mutex(func(c *cell.Client) lock.Locker {
			c.Cleanup(func() { <-make(chan int) })
			return knownLock(t, "setpx").Construct(c).(lock.Locker)
		}), []string{": the run left goroutines behind: ", "property_test.go:"}},
		{"chance", knownLock(t, "test-own-random").Subject, []string{"nondeterministic: ", "in a variable of its package", "event "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			out := failing(t, rapidtest.SubjectProperty("contention", redisstore.Store, test.subject), "10")
			for _, want := range test.wants {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
		})
	}
}

// TestPropertyCarriesOut: what ends a check inside of a run ends it as if there
// had been no simulation.
func TestPropertyCarriesOut(t *testing.T) {
	within := func(f func(*rapid.T)) func(*rapid.T) {
		return func(rt *rapid.T) {
			rapidtest.Property("contention", redisstore.Store, func(c *cell.Client) lock.Locker {
				return broken(func() { f(rt) })
			})(rt)
		}
	}
	out := failing(t, within(func(rt *rapid.T) { rt.Fatal("my own words") }), "10")
	if !strings.Contains(out, "failed after 0 tests: my own words") {
		t.Errorf("Fatal: %s", out)
	}
	out = failing(t, within(func(rt *rapid.T) { rt.SkipNow() }), "10")
	if !strings.Contains(out, "only generated 0 valid tests") {
		t.Errorf("SkipNow: %s", out)
	}
}

// TestPropertyFuzz: a run for which there is not enough to draw is no valid
// check, wherever it ends, and leaves nothing behind.
func TestPropertyFuzz(t *testing.T) {
	before := runtime.NumGoroutine()
	fuzz := rapid.MakeFuzz(rapidtest.SubjectProperty("gc-pause", redisstore.Store, knownLock(t, "setpx").Subject))
	input := make([]byte, 1<<16)
	for n := range 300 {
		skipped := false
		t.Run(fmt.Sprint(n, " bytes"), func(t *testing.T) {
			t.Cleanup(func() { skipped = t.Skipped() })
			fuzz(t, input[:n])
		})
		if !skipped {
			t.Errorf("%d bytes are a valid check", n)
		}
	}
	t.Run("enough", func(t *testing.T) {
		t.Cleanup(func() {
			if t.Skipped() {
				t.Error("the calm run is no valid check")
			}
		})
		fuzz(t, input)
	})
	for wait := time.Millisecond; runtime.NumGoroutine() > before; wait *= 2 {
		if wait > 2*time.Second {
			t.Fatalf("%d goroutines were left", runtime.NumGoroutine()-before)
		}
		time.Sleep(wait)
	}
}

func TestPropertyOfNoScenario(t *testing.T) {
	defer func() {
		p := fmt.Sprint(recover())
		if !strings.Contains(p, `there is no scenario "nine-lives"; there are contention, failover-loss, gc-pause`) {
			t.Errorf("the panic is %s", p)
		}
	}()
	rapidtest.SubjectProperty("nine-lives", redisstore.Store, knownLock(t, "setpx").Subject)
}

// TestFailuresApart: while it shrinks, rapid does not take one kind of failure for
// another.
func TestFailuresApart(t *testing.T) {
	for _, kind := range append(checker.IDs(), "crashed") {
		failed := false
		out := shrunkWithin(t, "1m", func(rt *rapid.T) {
			switch n := rapid.IntRange(0, 1000).Draw(rt, "n"); {
			case n >= 10:
				failed = true
				rapidtape.Fail(rt, kind, kind)
			case failed: // it shrinks
				rapidtape.Fail(rt, "another kind", "another kind")
			}
		}, "1000")
		if !strings.Contains(out, " tests: "+kind+"\n") || !strings.Contains(out, "draw n: 10\n") {
			t.Errorf("%s: %s", kind, out)
		}
	}
}
