package simrun

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/ci"
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
