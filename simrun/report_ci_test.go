package simrun

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/ci"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// junitReport is what other programs read of a report; internal/ci has the rules of the schemas.
type junitReport struct {
	Suites []struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Cases    []struct {
			Class   string       `xml:"classname,attr"`
			Name    string       `xml:"name,attr"`
			Failure *junitReason `xml:"failure"`
			Error   *junitReason `xml:"error"`
			Skipped *junitReason `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

type junitReason struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// came is how the cases of a report came out: "class/name failure limit", for instance.
func (r *junitReport) came() (list []string) {
	for _, c := range r.Suites[0].Cases {
		for word, why := range map[string]*junitReason{"failure": c.Failure, "error": c.Error, "skipped": c.Skipped} { // unordered: at most one is there
			if why != nil {
				list = append(list, strings.TrimSpace(fmt.Sprintf("%s/%s %s %s", c.Class, c.Name, word, why.Type)))
			}
		}
	}
	return list
}

// inGitHub runs a command in a step of GitHub Actions.
func inGitHub(t *testing.T, args ...string) (code int, errs, summary string, report junitReport) {
	t.Helper()
	worker, err := explore.Self("worker")
	if err != nil {
		t.Fatal(err)
	}
	worker.Env = []string{mark + "=1"}
	dir := t.TempDir()
	page, junit := filepath.Join(dir, "summary"), filepath.Join(dir, "junit.xml")
	var out, said bytes.Buffer
	a := &app{name: "simrun", out: &out, err: &said, locks: allLocks(), families: families(), worker: worker, github: ci.NewGitHub(dir, page)}
	a.expectNoFaults()
	code = a.main(t.Context(), append(args, "--junit", junit))
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatalf("%v\n%s%s", err, &out, &said)
	}
	file, err := os.ReadFile(junit)
	if err == nil {
		err = xml.Unmarshal(file, &report)
	}
	if err != nil || len(report.Suites) != 1 {
		t.Fatalf("%v\n%s", err, file)
	}
	return code, said.String(), string(text), report
}

// TestReports: what continuous integration is told of each result.
func TestReports(t *testing.T) {
	slowtest.SkipIfShort(t)
	for _, test := range []struct {
		name        string
		args        []string
		code        int
		came        []string
		annotations []string
		summary     []string
	}{
		{
			"limits", []string{"run", "gc-pause", "--runs", "100", "--no-shrink"}, exitViolation,
			[]string{"gc-pause.setpx/mutual-exclusion failure limit", "gc-pause.setpx/linearizable failure limit", "gc-pause.setpx/no-lost-update failure limit"},
			[]string{"::warning title=setpx under gc-pause%3A the holder's process was stopped while its lease ended as granted::no-lost-update is violated: setpx under gc-pause%0A"},
			[]string{"## simrun run gc-pause --lock setpx", "### no-lost-update is violated: setpx under gc-pause", "```mermaid"},
		},
		{
			"nothing", []string{"run", "contention", "--runs", "20"}, exitNone, nil, nil, []string{"**none-found**"},
		},
		{
			"vacuous", []string{"run", "failover-loss", "--runs", "1"}, exitInconclusive, []string{"failover-loss.setpx/search skipped", "failover-loss.setpx/mutual-exclusion skipped"},
			[]string{"::error title=setpx under failover-loss%3A vacuous::it never happened that "}, []string{"**vacuous**"},
		},
		{
			"a crash", []string{"run", "gc-pause", "--lock", "test-panics", "--runs", "20"}, exitTrouble, []string{"gc-pause.test-panics/search error crashed", "gc-pause.test-panics/mutual-exclusion skipped"},
			[]string{"::error title=test-panics under gc-pause%3A crashed::the worker died: panic: testlocks: a panic on purpose"}, []string{"testlocks: a panic on purpose"},
		},
		{
			"not searched", []string{"run", "contention", "--lock", "test-token-nanoseconds", "--runs", "4"}, exitNone, nil,
			[]string{"::warning title=test-token-nanoseconds under contention%3A not searched::two processes that see the same time: what the lock writes ("}, []string{"**none-found**", "not searched: two processes that see the same time: "},
		},
		{
			"a check", []string{"check", "gc-pause", "--bound", "0"}, exitInconclusive, []string{"gc-pause.setpx/search skipped"}, []string{"::error title=setpx under gc-pause%3A vacuous::"}, nil,
		},
		{
			"a matrix", []string{"matrix", "--lock", "setpx-d-as-printed", "--lock", "setnx", "--scenario", "contention", "--scenario", "lost-wakeup", "--runs", "16"}, exitNone, nil, nil,
			[]string{"## simrun matrix", "as expected: ", "two holders"},
		},
		{
			"a matrix with problems", []string{"matrix", "--lock", "test-panics", "--lock", "setpx", "--scenario", "contention", "--scenario", "gc-pause", "--runs", "16"}, exitTrouble,
			[]string{"test-panics/contention error crashed", "test-panics/gc-pause error crashed"}, []string{"::error title=test-panics under gc-pause%3A crashed::"}, []string{"- test"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.HasPrefix(test.name, "a matrix") {
				test.args = append(test.args, "--out", t.TempDir())
			}
			code, errs, summary, report := inGitHub(t, test.args...)
			came := strings.Join(report.came(), "\n")
			if code != test.code {
				t.Errorf("exit code %d, want %d\n%s", code, test.code, errs)
			}
			for _, want := range test.came {
				if !strings.Contains(came+"\n", want+"\n") {
					t.Errorf("no case came to %q\n%s", want, came)
				}
			}
			if len(test.came) == 0 && came != "" {
				t.Errorf("not all passed\n%s", came)
			}
			for _, want := range test.annotations {
				if !strings.Contains(errs, want) {
					t.Errorf("no annotation %q\n%s", want, errs)
				}
			}
			if len(test.annotations) == 0 && strings.Contains(errs, "::") {
				t.Errorf("annotations\n%s", errs)
			}
			for _, want := range test.summary {
				if !strings.Contains(summary, want) {
					t.Errorf("the summary does not say %q\n%s", want, summary)
				}
			}
			s := report.Suites[0]
			if s.Tests != len(s.Cases) || s.Failures+s.Errors+s.Skipped != len(report.came()) {
				t.Errorf("it counts %d, %d, %d and %d of %d cases", s.Tests, s.Failures, s.Errors, s.Skipped, len(s.Cases))
			}
		})
	}
}

// TestJUnitStory: a failure has the story, and a report that cannot be written is refused before
// the search.
func TestJUnitStory(t *testing.T) {
	_, _, _, report := inGitHub(t, "run", "gc-pause", "--runs", "100", "--no-shrink", "--stable", "--out", t.TempDir())
	for _, c := range report.Suites[0].Cases {
		if c.Name == "mutual-exclusion" && (c.Failure == nil || !strings.Contains(c.Failure.Text, "What happened\n") || !strings.Contains(c.Failure.Text, "replay      simrun replay ")) {
			t.Errorf("%+v", c.Failure)
		}
	}
	for _, args := range [][]string{{"run", "contention"}, {"check", "contention"}, {"matrix", "--lock", "setpx", "--scenario", "contention"}} {
		code, _, errs := simrun(t, append(args, "--junit", filepath.Join(t.TempDir(), "none", "x.xml"))...)
		if code != exitUsage || !strings.Contains(errs, "there is no directory") {
			t.Errorf("%q: exit code %d\n%s", args, code, errs)
		}
	}
}

// TestJUnitNeverPasses: beside a violation of one property the others pass only if they were
// decided in every schedule and the search is complete. The search itself comes behind them, unless runs may hide violations.
func TestJUnitNeverPasses(t *testing.T) {
	s, err := scenarios.Find("contention")
	if err != nil {
		t.Fatal(err)
	}
	cell := cell.Cell{Scenario: s, Params: s.Params, Lock: locks()[0]}
	id := identity{Kind: runKind, Scenario: s.ID, Lock: cell.Lock.ID, Strategy: explore.RandomStrategy, Runs: 300}
	judged := cell.Judged()
	if len(judged) < 4 {
		t.Fatalf("only %q are judged", judged)
	}
	first := &model.Verdict{Property: judged[1], Status: model.Undecided, Sentence: "it is long"}
	check := id
	check.Kind, check.Bound = checkKind, 2
	fast := id
	fast.FailFast = true
	for _, test := range []struct {
		name   string
		id     identity
		change func(o *outcome)
		want   []string // the search, then the first properties
	}{
		{"complete", id, func(*outcome) {}, []string{"", "failure", "", "", ""}},
		{"two undecided", id, func(o *outcome) {
			o.Undecided, o.FirstUndecided, o.UndecidedOf = 7, first, map[string]int{judged[1]: 3, judged[2]: 7}
		}, []string{"", "failure", "error", "error", ""}},
		{"undecided in an older state", id, func(o *outcome) { o.Undecided, o.FirstUndecided = 7, first }, []string{"", "failure", "error", "", ""}},
		{"interrupted", id, func(o *outcome) { o.interrupted = true }, []string{"error", "failure", "skipped", "skipped", "skipped"}},
		{"a part is missing", id, func(o *outcome) { o.missing = []int{1} }, []string{"error", "failure", "skipped", "skipped", "skipped"}},
		{"a crash", id, func(o *outcome) { o.Troubles = []explore.Trouble{{Kind: explore.Crashed, Reason: "boom"}} }, []string{"error", "failure", "skipped", "skipped", "skipped"}},
		{"runs that differ", id, func(o *outcome) {
			o.Troubles = []explore.Trouble{{Kind: explore.Nondeterministic, Reason: "it differs"}}
		}, []string{"error", "failure", "skipped", "skipped", "skipped"}},
		{"a leak", id, func(o *outcome) {
			o.Troubles = []explore.Trouble{{Kind: explore.Crashed, Leaked: true, Reason: "a goroutine"}}
		}, []string{"error", "failure", "skipped", "skipped", "skipped"}},
		{"runs that differ, and a crash", id, func(o *outcome) {
			o.Troubles = []explore.Trouble{{Kind: explore.Nondeterministic, Reason: "it differs"}, {Kind: explore.Crashed, Reason: "boom"}}
		}, []string{"error", "failure", "skipped", "skipped", "skipped"}},
		{"a bound that was not reached", check, func(o *outcome) { o.check = &explore.CheckSummary{Bound: 2, Complete: 1} }, []string{"error", "failure", "skipped", "skipped", "skipped"}},
		{"the first violation only", fast, func(*outcome) {}, []string{"skipped", "failure", "skipped", "skipped", "skipped"}},
	} {
		o := &outcome{Tally: &explore.Tally{Schedules: 300, Violations: map[model.Violation]int{{Property: judged[0]}: 2}}, result: explore.Violation}
		test.change(o)
		h := &session{app: &app{name: "simrun"}, id: test.id, cell: cell}
		cases := h.suite(o, time.Time{}).Cases
		leads := strings.Contains(test.name, "a crash")
		at := slices.IndexFunc(cases, func(c ci.Case) bool { return c.Name == "search" })
		if leads != (at == 0) || !leads && at != len(judged) {
			t.Errorf("%s: the search is case %d of %d", test.name, at, len(cases))
		}
		cases = slices.Concat(cases[at:at+1], cases[:at], cases[at+1:])
		for i, want := range test.want {
			if c := cases[i]; string(c.Came) != want || c.Came != ci.Passed && c.Message == "" {
				t.Errorf("%s: %s came to %q, want %q: %+v", test.name, c.Name, c.Came, want, c)
			}
		}
	}
}

// TestJUnitNotWritten: a report that cannot be written at the end is an exit code other than 0, and
// the report of an earlier command does not stay in its place.
func TestJUnitNotWritten(t *testing.T) {
	for _, args := range [][]string{
		{"run", "contention", "--runs", "20", "--out", t.TempDir()},
		{"check", "contention", "--bound", "0", "--out", t.TempDir()},
		{"matrix", "--lock", "setnx", "--scenario", "contention", "--runs", "16"},
	} {
		old := filepath.Join(t.TempDir(), "old.xml")
		// The name of a temporary file beside it is too long.
		junit := filepath.Join(filepath.Dir(old), strings.Repeat("x", 250))
		for _, path := range []string{old, junit} {
			if err := os.WriteFile(path, []byte("<testsuites/>"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if code, out, errs := simrun(t, append(args, "--junit", old)...); code != exitNone {
			t.Fatalf("%q: exit code %d\n%s%s", args, code, out, errs)
		}
		if text, err := os.ReadFile(old); err != nil || !strings.Contains(string(text), "<testcase") {
			t.Errorf("%q: %v\n%s", args, err, text)
		}
		code, _, errs := simrun(t, append(args, "--junit", junit)...)
		if code != exitInternal || !strings.Contains(errs, "the JUnit report cannot be written") {
			t.Errorf("%q: exit code %d\n%s", args, code, errs)
		}
		if _, err := os.Stat(junit); !os.IsNotExist(err) {
			t.Errorf("%q: the old report is still there: %v", args, err)
		}
	}
}

// TestTraceNotWritten: a finding whose trace could not be written is shown again by the search.
func TestTraceNotWritten(t *testing.T) {
	dir := t.TempDir()
	for _, property := range []string{"mutual-exclusion", "linearizable", "no-lost-update"} {
		if err := os.Mkdir(filepath.Join(dir, "gc-pause_setpx_"+property+"_limit.json"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	_, errs, summary, report := inGitHub(t, "run", "gc-pause", "--runs", "100", "--no-shrink", "--out", dir)
	const again = "simrun run gc-pause --lock setpx --strategy portfolio --seed 1 --runs 100"
	if !strings.Contains(errs, "a trace cannot be written") {
		t.Fatalf("it was written\n%s", errs)
	}
	story := ""
	for _, c := range report.Suites[0].Cases {
		if c.Failure != nil {
			story += c.Failure.Text
		}
	}
	_, annotation, _ := strings.Cut(errs, "::warning ")
	for what, text := range map[string]string{"the annotation": annotation, "the summary": strings.ReplaceAll(summary, "again: "+again, ""), "the report": strings.ReplaceAll(story, "again: "+again, "")} {
		if strings.Contains(text, "simrun replay") || !strings.Contains(text, again) {
			t.Errorf("%s does not name the search\n%s", what, text)
		}
	}
}
