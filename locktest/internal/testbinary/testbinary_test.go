package testbinary

import (
	"flag"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// at makes a directory the package's for a test.
func at(t *testing.T, dir string) {
	t.Helper()
	old := home
	t.Cleanup(func() { home = old })
	home = dir
}

// found is a case: a violation in gc-pause with so many choices.
func found(property string, limit bool, choices int) *traces.Trace {
	t := &traces.Trace{
		Store:  "redis",
		Schema: traces.Schema, Scenario: "gc-pause", Lock: "TestLock", Property: property, Limit: limit,
		Verdicts: []model.Verdict{{Property: property, Status: model.Violated, Limit: limit}},
	}
	for range choices {
		t.Tape = append(t.Tape, sim.Choice{Kind: sim.Delay, Actor: "c1", Options: 2, Option: 1})
	}
	return t
}

// TestKeep: a case is kept once, under what it is kept for, and is found again by
// the call that kept it.
func TestKeep(t *testing.T) {
	at(t, t.TempDir())
	call := traces.Test{Name: "TestLock/a b", Call: 1}
	second := traces.Test{Name: call.Name, Call: 2}
	crash := found("", false, 1)
	crash.Trouble = &traces.Trouble{Kind: "crashed", Reason: "panic"}
	var kept []string
	for _, test := range []struct {
		call traces.Test
		of   *traces.Trace
		want string
	}{
		{call, found("fencing", false, 1), "gc-pause_fencing.json"},
		{call, found("fencing", false, 1), "gc-pause_fencing.json"},
		{call, found("fencing", false, 2), "gc-pause_fencing_2.json"},
		{call, found("fencing", true, 1), "gc-pause_fencing_limit.json"},
		{call, crash, "gc-pause_crashed.json"},
		{second, found("fencing", false, 1), "call-2/gc-pause_fencing.json"},
	} {
		path, err := Keep(test.call, test.of)
		if err != nil {
			t.Fatal(err)
		}
		dir := keptDir + "/" + dirOf(call)
		if path != dir+"/"+test.want {
			t.Errorf("it is kept at %s, want %s in %s", path, test.want, dir)
		}
		if Relative(Absolute(path)) != path {
			t.Errorf("%s is %s, and that is %s", path, Absolute(path), Relative(Absolute(path)))
		}
		if test.call == call {
			kept = append(kept, Absolute(path))
		}
	}
	slices.Sort(kept)
	if got := Kept(call, "gc-pause"); !slices.Equal(got, slices.Compact(kept)) {
		t.Errorf("found again: %q, want %q", got, kept)
	}
	if got := Kept(second, "gc-pause"); len(got) != 1 || filepath.Base(filepath.Dir(got[0])) != "call-2" {
		t.Errorf("found again of the second call: %q", got)
	}
	if got := Kept(call, "gc"); len(got) != 0 {
		t.Errorf("found again of another scenario: %q", got)
	}
}

// TestDirectories: tests of different names have different directories, whatever
// their names are.
func TestDirectories(t *testing.T) {
	of := map[string]string{}
	for _, name := range []string{"TestA", "TestA/b", "TestA/b_c", "TestA/b c", "TestA/b:c", "TestA/..", "TestA/.", "TestA/", "TestA/ä"} {
		dir := dirOf(traces.Test{Name: name, Call: 1})
		if other, taken := of[dir]; taken || !filepath.IsLocal(dir) {
			t.Errorf("the directory of %q is %s, that of %q", name, dir, other)
		}
		of[dir] = name
	}
}

// wantsTime is what is said of a wrong value of -simrun.time.
const wantsTime = ": want a duration such as 30s, at least 0, or wall=1m, or both: 30s,wall=1m"

// TestFlags: what the flags may say.
func TestFlags(t *testing.T) {
	for _, test := range []struct {
		name, value string
		want        string
	}{
		{"seed", "", ""}, {"seed", "0", ""}, {"seed", "18446744073709551615", ""},
		{"seed", "-1", "-simrun.seed=-1: want a number from 0 to 18446744073709551615"},
		{"runs", "", ""}, {"runs", "1", ""},
		{"time", "", ""}, {"time", "30s", ""}, {"time", "0", ""},
		{"time", "wall=1m", ""}, {"time", "30s,wall=1m", ""}, {"time", "wall=0,30s", ""},
		{"time", "30", "-simrun.time=30" + wantsTime}, {"time", "-1s", "-simrun.time=-1s" + wantsTime}, {"time", "wall=soon", "-simrun.time=wall=soon" + wantsTime},
		{"time", "1s,2s", "-simrun.time=1s,2s" + wantsTime}, {"time", "wall=1s,wall=2s", "-simrun.time=wall=1s,wall=2s" + wantsTime}, {"time", "1s,", "-simrun.time=1s," + wantsTime},
		{"runs", "0", "-simrun.runs=0: want a number, at least 1"},
		{"runs", "x", "-simrun.runs=x: want a number, at least 1"},
	} {
		f := flag.Lookup("simrun." + test.name)
		old := f.Value.String()
		if err := f.Value.Set(test.value); err != nil {
			t.Fatal(err)
		}
		_, given, err := Seed()
		switch test.name {
		case "runs":
			_, given, err = Runs()
		case "time":
			var l Limits
			l, err = Time()
			given = test.value != "" // what is wrong is given as well
			if err == nil && (l.CPU.Given || l.Wall.Given) != given {
				t.Errorf("%q is %+v", test.value, l)
			}
		}
		if said := message(err); said != test.want || given != (test.value != "") {
			t.Errorf("%s=%q: given %v, %s", test.name, test.value, given, said)
		}
		_ = f.Value.Set(old) // it was good before
	}
}

// TestVariables: an error names what was set.
func TestVariables(t *testing.T) {
	t.Setenv("SIMRUN_TIME", "soon")
	old := *limit
	defer func() { *limit = old }()
	for value, want := range map[string]string{"soon": "SIMRUN_TIME=soon: ", "later": "-simrun.time=later: "} {
		*limit = value
		if _, err := Time(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", value, err)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// The test's own flag, for TestForeign.
var _ = flag.Int("own", 0, "is handed to workers")

// TestForeign: a worker is given the test's own flags and arguments, and none of
// go test's.
func TestForeign(t *testing.T) {
	for args, want := range map[string]string{
		"-test.v -test.run x -own=1 -test.count=2": "-own=1",
		"-test.run x own -test.v":                  "own -test.v",
		"-simrun.seed 5 -own 3 -test.v":            "-own 3",
		"-test.short -- -test.v":                   "-- -test.v",
	} {
		if got := strings.Join(foreign(strings.Fields(args)), " "); got != want {
			t.Errorf("of %q go on %q, want %q", args, got, want)
		}
	}
}

// TestCaseFile: no string of a trace leads to another directory.
func TestCaseFile(t *testing.T) {
	for property, want := range map[string]string{"mutual-exclusion": "gc-pause_mutual-exclusion.json", "../../x": "", "/x": "", "a\\b": "", "x\x00": "", strings.Repeat("x", 500): ""} {
		trace := &traces.Trace{Scenario: "gc-pause", Property: property, Verdicts: []model.Verdict{{Property: property, Status: model.Violated}}}
		if got := CaseFile(trace); want != "" && got != want || got != filepath.Base(got) || strings.ContainsAny(got, "\\\x00") || len(got) > 250 {
			t.Errorf("%q is kept in %q", property, got)
		}
	}
}

// TestDebugged: Linux says whether a debugger has a process, elsewhere how the program was compiled.
func TestDebugged(t *testing.T) {
	for status, want := range map[string]bool{
		"Name:\tx\nTracerPid:\t0\nUid:\t0\n": false, "Name:\tx\nTracerPid:\t10\nUid:\t0\n": true, "Name:\tTracerPid:\t1\nUid:\t0\n": false,
	} {
		if traced(status) != want {
			t.Errorf("%q: %t", status, !want)
		}
	}
	for _, test := range []struct {
		key, value string
		want       bool
	}{{"-gcflags", "all=-N -l", true}, {"-gcflags", "-N", true}, {"-gcflags", "all=-l", false}, {"-gcflags", "all=-Newer", false}, {"-ldflags", "-N", false}} {
		if got := unoptimized(debug.BuildSetting{Key: test.key, Value: test.value}); got != test.want {
			t.Errorf("%s=%s: %t", test.key, test.value, got)
		}
	}
	if Debugged() {
		t.Error("a debugger has this test")
	}
}
