package scenarios

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/scenarios/internal/testbinary"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// findingText describes a violation: its standing, the counterexample, and as its last
// line the command that replays it. Path is that of its trace, empty if there is none.
func (a *attack) findingText(t *traces.Trace, standing, path string) string {
	fails := a.fails(t.Scenario, t.Violation())
	var b strings.Builder
	b.WriteByte('\n')
	_ = render.Explain(&b, t, render.Style{Brief: !fails && testbinary.Replay() == ""}) // a Builder takes everything
	if standing != "" {
		fmt.Fprintf(&b, "note        %s\n", standing)
	}
	if path != "" {
		fmt.Fprintf(&b, "trace       %s\n", path)
	}
	fmt.Fprintf(&b, "%s\n", a.command(t.Scenario, path, !fails))
	return strings.TrimRight(b.String(), "\n")
}

// standing says why a violation does not fail.
func (a *attack) standing(t *traces.Trace) string {
	if a.expects(t.Scenario, t.Property) {
		return "this violation is expected"
	}
	return "a limit of leases, not a fault of the lock; it would fail with scenarios.Strict"
}

// troubleText describes a run that did not finish, with the command that replays it.
func (a *attack) troubleText(scenario string, trouble *explore.Trouble, how, path string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n\n", causes.TroubleText(a.lock.ID, scenario, trouble))
	if how != "" {
		fmt.Fprintf(&b, "note        %s\n", how)
	}
	if path != "" {
		fmt.Fprintf(&b, "tape        %d decisions, in %s\n", len(trouble.Tape), path)
	}
	fmt.Fprintf(&b, "%s\n", a.command(scenario, path, false))
	return strings.TrimRight(b.String(), "\n")
}

// troubleTrace is the trace of a trouble's tape, nil if there is none.
func (a *attack) troubleTrace(s *Scenario, trouble *explore.Trouble) *traces.Trace {
	c, err := a.cell(s)
	if err != nil || len(trouble.Tape) == 0 {
		return nil
	}
	t := c.Trace(a.seed, trouble.Schedule, "", explore.Outcome{Recording: &explore.Recording{Choices: trouble.Tape}})
	t.Test = &a.call
	t.Trouble = &traces.Trouble{Kind: string(trouble.Kind), Reason: trouble.Reason}
	return t
}

// command replays a case: by its trace, or else by the search that found it. A case that
// does not fail needs -v to be shown.
func (a *attack) command(scenario, path string, verbose bool) string {
	c := testbinary.Command{Verbose: verbose, Pattern: testbinary.Pattern(a.call.Name + "/" + scenario)}
	if a.call.Package != testbinary.ModulePath() {
		c.Package = a.call.Package // so that it works from anywhere in the module
	}
	if path != "" {
		c.Flags = []string{testbinary.ReplayFlag(path)}
		return c.String()
	}
	if a.call.Call > 1 { // its subtests are numbered
		c.Pattern = strings.TrimSuffix(c.Pattern, "$") + `(#\d+)?$`
	}
	c.Flags = []string{fmt.Sprintf("-simrun.seed=%d", a.seed)}
	if a.bound == nil {
		c.Flags = append(c.Flags, fmt.Sprintf("-simrun.runs=%d", a.schedules(scenario)))
	}
	return c.String()
}

// ReplayCommand is the go test command that replays a trace of a test's lock from anywhere
// in the test's module. Path is that of the trace.
func ReplayCommand(t *traces.Trace, path string) string {
	return commandOf(t, path, testbinary.ReplayFlag)
}

// DiffCommand is the command that compares a counterexample of a test with its nearest passing
// run.
func DiffCommand(t *traces.Trace, path string) string {
	return commandOf(t, path, testbinary.ReplayFlag, func(path string) string {
		return testbinary.DiffFlag(strings.TrimSuffix(path, ".json") + ".diff.html")
	})
}

// commandOf is the go test command that runs the test of a trace with flags that name it.
func commandOf(t *traces.Trace, path string, flags ...func(path string) string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs // the test runs in its package's directory
	}
	c := testbinary.Command{Verbose: true, Pattern: testbinary.Pattern(t.Test.Name + "/" + t.Scenario), Package: t.Test.Package}
	for _, flag := range flags {
		c.Flags = append(c.Flags, flag(path))
	}
	return c.String()
}

// exhibit writes trace and picture to the requested directories.
func (a *attack) exhibit(t *testing.T, tr *traces.Trace) {
	t.Helper()
	if tr.Trouble != nil {
		return // there is nothing to see
	}
	var files []string
	if path := testbinary.OutPath(a.call, tr); path != "" {
		files = append(files, testbinary.Absolute(path))
	}
	if testbinary.Artifacts() {
		files = append(files, filepath.Join(t.ArtifactDir(), testbinary.CaseFile(tr)))
	}
	for _, file := range files {
		if err := a.draw(file, tr); err != nil {
			t.Logf("the trace cannot be written: %v", err)
		}
	}
}

// draw writes a trace, and its picture beside it.
func (a *attack) draw(file string, t *traces.Trace) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	if err := traces.WriteFile(file, t); err != nil {
		return err
	}
	picture := strings.TrimSuffix(file, ".json") + ".html"
	return traces.Replace(picture, func(w io.Writer) error { return render.View(w, t, a.command(t.Scenario, file, true)) })
}
