package locktest

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/locktest/internal/testbinary"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// findingText describes a violation: its standing, the counterexample and, in its last line, the command that replays it.
// Path is that of its trace, empty if there is none.
func (x *session) findingText(t *traces.Trace, standing, path string) string {
	fails := x.fails(t.Scenario, t.Violation())
	var b strings.Builder
	b.WriteByte('\n')
	_ = render.Explain(&b, t, render.Style{Brief: !fails && testbinary.Replay() == "", Verbose: testing.Verbose()}) // a Builder takes everything
	if standing != "" {
		fmt.Fprintf(&b, "note        %s\n", standing)
	}
	if path != "" {
		fmt.Fprintf(&b, "trace       %s\n", path)
	}
	fmt.Fprintf(&b, "%s\n", x.command(t.Scenario, path, !fails))
	return strings.TrimRight(b.String(), "\n")
}

// standing returns why a violation does not fail.
func (x *session) standing(t *traces.Trace) string {
	if x.expects(t.Scenario, t.Property) {
		return "this violation is expected"
	}
	return "a limit of leases, not a fault of the lock; it would fail with locktest.Strict"
}

// troubleText describes a run that did not finish, with the command that replays it.
func (x *session) troubleText(scenario string, trouble *explore.Trouble, how, path string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n\n", causes.TroubleText(x.lock.ID, scenario, trouble))
	if how != "" {
		fmt.Fprintf(&b, "note        %s\n", how)
	}
	if path != "" {
		fmt.Fprintf(&b, "tape        %d decisions, in %s\n", len(trouble.Tape), path)
	}
	fmt.Fprintf(&b, "%s\n", x.command(scenario, path, false))
	return strings.TrimRight(b.String(), "\n")
}

// troubleTrace returns the trace of a trouble's tape, nil if there is none.
func (x *session) troubleTrace(s *cell.Scenario, trouble *explore.Trouble) *traces.Trace {
	c, err := x.cell(s)
	if err != nil || len(trouble.Tape) == 0 {
		return nil
	}
	t := c.Trace(x.seed, trouble.Schedule, "", explore.Outcome{Recording: &explore.Recording{Choices: trouble.Tape}})
	t.Test = &x.call
	t.Trouble = &traces.Trouble{Kind: string(trouble.Kind), Reason: trouble.Reason, Leaked: trouble.Leaked}
	return t
}

// command returns the command that replays a case: by its trace, or else by the search that found it. A case that does not
// fail needs -v to be shown.
func (x *session) command(scenario, path string, verbose bool) string {
	c := x.commandOf(scenario, verbose)
	if path != "" {
		c.Flags = []string{gotest.ReplayFlag(path)}
		return c.String()
	}
	if x.call.Call > 1 { // its subtests are numbered
		c.Pattern = strings.TrimSuffix(c.Pattern, "$") + `(#\d+)?$`
	}
	c.Flags = []string{fmt.Sprintf("-simrun.seed=%d", x.seed)}
	if x.bound == nil {
		c.Flags = append(c.Flags, fmt.Sprintf("-simrun.runs=%d", x.schedules(scenario)))
	}
	return c.String()
}

// commandOf returns the command that runs the scenario of the call, from anywhere in the module.
func (x *session) commandOf(scenario string, verbose bool) gotest.Command {
	return gotest.Command{Verbose: verbose, Pattern: gotest.Pattern(x.call.Name + "/" + scenario), Package: testbinary.PackageArgument()}
}

// confirmCommand returns the command that makes a kept counterexample happen on real servers, from anywhere in the module;
// empty if it is not one of a lock.
func (x *session) confirmCommand(t *traces.Trace, path string) string {
	if path == "" || t == nil || t.Trouble != nil || x.isProgram {
		return ""
	}
	return testbinary.Simrun() + " confirm " + wording.ShellPath(gotest.Kept(testbinary.PackageArgument(), path))
}

// exhibit writes trace and picture to the requested directories.
func (x *session) exhibit(t *testing.T, tr *traces.Trace) {
	t.Helper()
	if tr.Trouble != nil {
		return // there is nothing to see
	}
	var files []string
	if path := testbinary.OutPath(x.call, tr); path != "" {
		files = append(files, testbinary.Absolute(path))
	}
	if testbinary.Artifacts() {
		files = append(files, filepath.Join(t.ArtifactDir(), testbinary.CaseFile(tr)))
	}
	for _, file := range files {
		if err := x.draw(file, tr); err != nil {
			t.Logf("the trace cannot be written: %v", err)
		}
	}
}

// draw writes a trace, and its picture beside it.
func (x *session) draw(file string, t *traces.Trace) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	if err := traces.WriteFile(file, t); err != nil {
		return err
	}
	picture := strings.TrimSuffix(file, ".json") + ".html"
	return traces.Replace(picture, func(w io.Writer) error { return render.View(w, t, x.command(t.Scenario, file, true)) })
}
