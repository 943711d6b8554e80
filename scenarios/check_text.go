package scenarios

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// findingText tells of a violation: what stands of it, the story, and as its last
// line the command that shows it again. Path is of its trace, empty if there is
// none.
func (a *attack) findingText(t *traces.Trace, standing, path string) string {
	var b strings.Builder
	b.WriteByte('\n')
	_ = render.Explain(&b, t, render.Style{Brief: !a.fails(t) && flags.replay() == ""}) // a Builder takes everything
	if standing != "" {
		fmt.Fprintf(&b, "note        %s\n", standing)
	}
	if path != "" {
		fmt.Fprintf(&b, "trace       %s\n", path)
	}
	fmt.Fprintf(&b, "%s\n", a.command(t.Scenario, path, !a.fails(t)))
	return strings.TrimRight(b.String(), "\n")
}

// standing says why a violation does not fail.
func (a *attack) standing(t *traces.Trace) string {
	if a.expects(t.Scenario, t.Property) {
		return "this violation is expected"
	}
	return "a limit of leases, not a fault of the lock; it would fail with scenarios.Strict"
}

// troubleText tells of a run that did not finish, with the command that shows it
// again.
func (a *attack) troubleText(scenario string, trouble *explore.Trouble, how, path string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n\n", a.troubleStory(scenario, trouble, true))
	if how != "" {
		fmt.Fprintf(&b, "note        %s\n", how)
	}
	if path != "" {
		fmt.Fprintf(&b, "tape        %d decisions, in %s\n", len(trouble.Tape), path)
	}
	fmt.Fprintf(&b, "%s\n", a.command(scenario, path, false))
	return strings.TrimRight(b.String(), "\n")
}

// troubleStory says how a run ended, and in full where and what to do about it.
func (a *attack) troubleStory(scenario string, trouble *explore.Trouble, full bool) string {
	text := fmt.Sprintf("%s: %s under %s, in schedule %d\n\n  %s", trouble.Kind, a.lock.ID, scenario, trouble.Schedule, trouble.Reason)
	switch {
	case !full:
		return strings.Replace(text, "\n\n", "\n", 1)
	case trouble.Stack != "":
		text += "\n\n" + wording.Indent(trouble.Stack)
	}
	return text + "\n\nWhat to do: " + advice(trouble)
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

// command is what shows a case again: its trace, or else the search that found
// it. A case that does not fail is shown with -v only.
func (a *attack) command(scenario, path string, verbose bool) string {
	words := []string{"go", "test"}
	if verbose {
		words = append(words, "-v")
	}
	which := pattern(a.call.Name + "/" + scenario)
	if path == "" && a.call.Call > 1 { // its subtests are numbered
		which = strings.TrimSuffix(which, "$") + `(#\d+)?$`
	}
	words = append(words, "-run", wording.Shell(which))
	if a.call.Package != "" && a.call.Package != modulePath() {
		words = append(words, a.call.Package) // so that it works from anywhere in the module
	}
	if path != "" {
		return strings.Join(append(words, "-simrun.replay="+wording.Shell(path)), " ")
	}
	words = append(words, fmt.Sprintf("-simrun.seed=%d", a.seed))
	if a.bound == nil {
		words = append(words, fmt.Sprintf("-simrun.runs=%d", a.schedules(scenario)))
	}
	return strings.Join(words, " ")
}

// ReplayCommand is the go test command that replays a trace of a test's lock,
// given the trace's path, from anywhere in the test's module.
func ReplayCommand(t *traces.Trace, path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs // the test runs in its package's directory
	}
	words := []string{"go", "test", "-v", "-run", wording.Shell(pattern(t.Test.Name + "/" + t.Scenario))}
	if t.Test.Package != "" {
		words = append(words, t.Test.Package)
	}
	return strings.Join(append(words, "-simrun.replay="+wording.Shell(path)), " ")
}

// outPath is where the trace of a finding goes with -simrun.out, empty without.
func (a *attack) outPath(t *traces.Trace) string {
	if flags.out() == "" {
		return ""
	}
	return filepath.ToSlash(filepath.Join(flags.out(), dirOf(a.call), t.Scenario+"_"+caseName(t)+".json"))
}

// exhibit writes trace and picture to where they were asked for.
func (a *attack) exhibit(t *testing.T, tr *traces.Trace) {
	t.Helper()
	if tr.Trouble != nil {
		return // there is nothing to see
	}
	var files []string
	if path := a.outPath(tr); path != "" {
		if !filepath.IsAbs(path) {
			path = filepath.Join(home, path)
		}
		files = append(files, path)
	}
	if f := flag.Lookup("test.artifacts"); f != nil && f.Value.String() == "true" {
		files = append(files, filepath.Join(t.ArtifactDir(), tr.Scenario+"_"+caseName(tr)+".json"))
	}
	for _, file := range files {
		if err := a.draw(file, tr); err != nil {
			t.Logf("the trace cannot be written: %v", err)
		}
	}
}

// draw writes a trace, and beside it its picture.
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
