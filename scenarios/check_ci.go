package scenarios

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/internal/ci"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/scenarios/internal/testbinary"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// place is a line of a file.
type place struct {
	file string
	line int
}

// calledAt is where the function was called that calls it.
func calledAt() place {
	_, file, line, _ := runtime.Caller(2)
	if !filepath.IsAbs(file) { // go test -trimpath has the import path instead
		file = testbinary.Absolute(filepath.Base(file))
	}
	if _, err := os.Stat(file); err != nil {
		return place{}
	}
	return place{file, line}
}

// errorf fails the test for what is no finding.
func (a *attack) errorf(t *testing.T, format string, args ...any) {
	t.Helper()
	text := fmt.Sprintf(format, args...)
	a.problems = append(a.problems, text)
	t.Error(text)
}

// announce tells GitHub Actions what Check has found, if the test runs there: an annotation at
// the call for each cause and each other error, and the summary of the step.
func (a *attack) announce(t *testing.T, at place) {
	g := ci.FromEnvironment()
	if g == nil {
		return
	}
	var stories []*causes.Story
	if a.findings != nil {
		stories = a.findings.Stories()
	}
	var list []ci.Annotation
	add := func(level ci.Level, title, message string) {
		list = append(list, ci.Annotation{Level: level, File: at.file, Line: at.line, Title: title, Message: message})
	}
	for _, s := range stories {
		lines := append(s.Short(a.lock.ID), a.command(s.Scenario, s.Path, false))
		add(ci.Error, "Lockpick: "+s.What(), strings.Join(lines, "\n"))
	}
	for _, p := range a.problems {
		add(ci.Error, "Lockpick: "+a.call.Name, p)
	}
	if t.Failed() && len(list) == 0 {
		add(ci.Error, "Lockpick: "+a.call.Name, "The test fails. The log says why.")
	}
	if a.findings != nil {
		for _, w := range a.findings.Warnings {
			add(ci.Warning, "Lockpick: "+a.call.Name, w)
		}
	}
	g.Annotate(os.Stdout, list...)
	if err := g.Summarize(a.markdown(stories)); err != nil {
		t.Logf("lockpick: the summary of the step cannot be written: %v", err)
	}
}

// markdown is the summary of the call.
func (a *attack) markdown(stories []*causes.Story) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "## Lockpick: %s\n\n", render.EscapeMarkdown(a.call.Name))
	for _, p := range a.problems {
		b.WriteString(causes.Fenced(p))
	}
	if a.findings == nil {
		return b.String()
	}
	if len(stories) == 0 {
		fmt.Fprintf(&b, "No fault was found in %s. That is no proof.\n\n", wording.Count(len(a.findings.Searched), "scenario"))
	} else {
		fmt.Fprintf(&b, "%s\n\n", render.EscapeMarkdown(a.findings.Headline(stories)))
	}
	for _, s := range stories {
		s.Markdown(&b, a.lock.ID, a.command(s.Scenario, s.Path, false))
	}
	if lines := append(a.findings.Remarks(), a.vacuous...); len(lines) > 0 {
		b.WriteString(causes.Fenced(strings.Join(lines, "\n")))
	}
	return b.String()
}
