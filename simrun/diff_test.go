package simrun

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/traces"
)

// corpus is a trace of the corpus.
func corpus(name string) string { return filepath.Join("..", "traces", "corpus", name+".json") }

// TestDiffPassing: a counterexample is compared with its nearest passing run, in words and on a
// page, again and again the same.
func TestDiffPassing(t *testing.T) {
	slowtest.SkipIfShort(t)
	page := filepath.Join(t.TempDir(), "page.html")
	code, out, errs := simrun(t, "diff", corpus("gc-pause_setpx_no-lost-update"), "-o", page)
	if code != exitViolation || errs != "" {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	text, wrote, _ := strings.Cut(out, "\nwrote ")
	golden.File(t, "testdata/diff_passing.golden", text)
	if wrote != page+": both runs, one above the other; open it in a browser\n" {
		t.Errorf("it says that it wrote %s", wrote)
	}
	html, err := os.ReadFile(page)
	if err != nil || strings.Count(string(html), `<svg id="from`) != 2 || !strings.Contains(string(html), "<code>simrun diff "+corpus("gc-pause_setpx_no-lost-update")+"</code>") {
		t.Errorf("%v: the page does not have both runs and the command", err)
	}
	code, out, errs = simrun(t, "diff", corpus("gc-pause_setpx_no-lost-update"), "-o", "-")
	if code != exitViolation || out != string(html) || errs != "" {
		t.Errorf("exit code %d, and another page on standard output\n%s", code, errs)
	}
}

// TestDiffTwo: two traces are compared as they are, also of a lock that this program has not; a
// directory stands for the one trace in it.
func TestDiffTwo(t *testing.T) {
	a, b := corpus("partition_setpx_mutual-exclusion"), corpus("partition_setpx-fenced_fencing")
	code, out, errs := simrun(t, "diff", a, b)
	if code != exitViolation || errs != "" || !strings.Contains(out, "lock ") || !strings.Contains(out, "Where the runs begin to differ") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	tr, err := traces.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	tr.Lock = "TestMyLock"
	tr.Test = &traces.Test{Name: tr.Lock, Package: "example.com/my/locks", Call: 1}
	dir := t.TempDir()
	mine := filepath.Join(dir, "x.json")
	if err := traces.WriteFile(mine, tr); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "x.html"), []byte("its page"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{mine, dir} {
		code, out, errs = simrun(t, "diff", path, b)
		if code != exitViolation || errs != "" || !strings.Contains(out, "TestMyLock under partition") {
			t.Errorf("exit code %d\n%s%s", code, out, errs)
		}
		code, out, errs = simrun(t, "diff", path, a)
		if code != exitNone || errs != "" || !strings.Contains(out, "the runs are equal: ") || !strings.Contains(out, "lock  A TestMyLock") {
			t.Errorf("exit code %d\n%s%s", code, out, errs)
		}
		code, _, errs = simrun(t, "diff", path)
		if want := mine + " is a trace of a test's lock, TestMyLock in example.com/my/locks, and its test binary must be built: call simrun in the module of that package: "; code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("exit code %d, and it does not say %q\n%s", code, want, errs)
		}
	}
}

// TestDiffNote: that a replay is not identical with its trace is said in words, on the page, and on
// the page on standard output.
func TestDiffNote(t *testing.T) {
	tr, err := traces.ReadFile(corpus("gc-pause_setpx_no-lost-update"))
	if err != nil {
		t.Fatal(err)
	}
	tr.Hash, tr.Made["lockpick"] = "1234", "9.8.7"
	dir := t.TempDir()
	path, page := filepath.Join(dir, "x.json"), filepath.Join(dir, "x.html")
	if err := traces.WriteFile(path, tr); err != nil {
		t.Fatal(err)
	}
	_, out, errs := simrun(t, "diff", path, "-o", page)
	html, err := os.ReadFile(page)
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	_, dash, _ := simrun(t, "diff", path, "-o", "-")
	for what, text := range map[string]string{"the text": out, "the page": string(html), "standard output": dash} {
		for _, says := range []string{"was recorded with lockpick 9.8.7", "is not identical here; A is its replay."} {
			if !strings.Contains(text, says) {
				t.Errorf("%s does not say %q", what, says)
			}
		}
	}
}

// TestDiffStores: for a counterexample of each store there is a passing run, which is the same
// until a deviation is missing, and in which the property is not violated.
func TestDiffStores(t *testing.T) {
	slowtest.SkipIfShort(t)
	for _, test := range []struct{ scenario, lock, property string }{
		{"gc-pause", "setpx", "mutual-exclusion"},
		{"two-step-release", "file-flock", "overrun"},
	} {
		t.Run(test.lock, func(t *testing.T) {
			path := find(t, test.scenario, test.lock, test.property)
			code, out, errs := simrun(t, "diff", path)
			if code != exitViolation || errs != "" {
				t.Fatalf("exit code %d\n%s%s", code, out, errs)
			}
			if !regexp.MustCompile(`(?m)^B  the same without this: .+$`).MatchString(out) || !strings.Contains(out, "   "+test.property+" is violated: "+test.lock) ||
				!strings.Contains(out, "Where the runs begin to differ") || !regexp.MustCompile(`(?m)^  `+test.property+` +A violated.*, B (holds|not applicable)$`).MatchString(out) {
				t.Errorf("it is told as\n%s", out)
			}
		})
	}
}

// TestDiffUsage: what cannot be compared is an error that says what to do.
func TestDiffUsage(t *testing.T) {
	dir := t.TempDir()
	a := corpus("gc-pause_setpx_no-lost-update")
	changed := func(name string, change func(*traces.Trace)) string {
		tr, err := traces.ReadFile(a)
		if err != nil {
			t.Fatal(err)
		}
		change(tr)
		path := filepath.Join(dir, name+".json")
		if err := traces.WriteFile(path, tr); err != nil {
			t.Fatal(err)
		}
		return path
	}
	stalled := changed("stalled", func(tr *traces.Trace) {
		*tr = traces.Trace{
			Schema: tr.Schema, Made: tr.Made, Scenario: tr.Scenario, Parameters: tr.Parameters, Lock: tr.Lock, Store: tr.Store, Terms: tr.Terms, Seed: tr.Seed, Schedule: tr.Schedule,
			Trouble: &traces.Trouble{Kind: "stalled", Reason: "c1 waits for a mutex."}, Tape: tr.Tape, Actors: tr.Actors,
		}
	})
	calm := changed("calm", func(tr *traces.Trace) { tr.Property, tr.Limit, tr.Attribution = "", false, nil })
	foreign := changed("foreign", func(tr *traces.Trace) { tr.Lock = "not-here" })
	needless := changed("needless", func(tr *traces.Trace) {
		if tr.Attribution == nil {
			tr.Attribution = &traces.Attribution{Remedies: []traces.Remedy{}}
		}
		tr.Attribution.Deviations = nil
		for _, c := range tr.Tape {
			if c.Option != 0 {
				tr.Attribution.Deviations = append(tr.Attribution.Deviations, traces.Deviation{Decision: c.ID(), Option: c.Option, Text: "x"})
			}
		}
	})
	older := changed("older", func(tr *traces.Trace) { tr.Tape = nil })
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		code int
		args []string
		says string
	}{
		{"no trace", exitUsage, nil, "want a trace, or two"},
		{"no such file", exitUsage, []string{"none.json"}, "there is no file none.json"},
		{"no such second file", exitUsage, []string{a, "none.json"}, "there is no file none.json"},
		{"no trace in a directory", exitUsage, []string{empty}, "has no trace"},
		{"several in a directory", exitUsage, []string{dir}, "has 5 traces: name one\n  " + filepath.Join(dir, "calm.json")},
		{"no trace at all", exitUsage, []string{"view.go"}, "view.go: "},
		{"no violation", exitUsage, []string{calm}, "has no nearest passing run: it has no violation; name a second trace: simrun diff " + calm + " OTHER"},
		{"no end", exitUsage, []string{stalled}, "it did not finish (stalled), so there are no events to compare"},
		{"no end of the second", exitUsage, []string{a, stalled}, "did not finish (stalled): it has no events to compare"},
		{"a lock that is not here", exitUsage, []string{foreign}, `there is no lock "not-here"`},
		{"nothing that is needed", exitUsage, []string{needless}, "it has no deviation from the calm run that the violation needs; name a second trace"},
		{"a counterexample that is gone", exitTrouble, []string{older}, "no longer violates no-lost-update"},
		{"the trace as the page", exitUsage, []string{a, calm, "-o", a}, "is one of the traces"},
		{"a page that cannot be written", exitUsage, []string{a, calm, "-o", filepath.Join(dir, "none", "x.html")}, "the page cannot be written"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, out, errs := simrun(t, append([]string{"diff"}, test.args...)...)
			if code != test.code || !strings.Contains(errs, test.says) {
				t.Errorf("exit code %d, want %d saying %q\nstdout: %s\nstderr: %s", code, test.code, test.says, out, errs)
			}
		})
	}
}

// TestDiffComplete offers the command and its flags.
func TestDiffComplete(t *testing.T) {
	if _, out, _ := simrun(t, "complete", "--", "di"); out != "diff\n" {
		t.Errorf("offered are %q", out)
	}
	if _, out, _ := simrun(t, "complete", "--", "diff", "--"); !strings.Contains(out, "--out\n") {
		t.Errorf("offered are %q", out)
	}
}
