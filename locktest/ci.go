package locktest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/internal/ci"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/locktest/internal/testbinary"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// place is a line of a file.
type place struct {
	file string
	line int
}

// calledAt returns the place where its caller was called.
func calledAt() place {
	_, file, line, _ := runtime.Caller(2)
	if !filepath.IsAbs(file) { // with go test -trimpath it is the import path instead
		file = testbinary.Absolute(filepath.Base(file))
	}
	if _, err := os.Stat(file); err != nil {
		return place{}
	}
	return place{file, line}
}

// announce reports the findings of Check to GitHub Actions, if the test runs there: an annotation for each cause, at the
// line of the lock's code that shows the violation or at the call of Check; an annotation at the call for each other
// error; and the summary of the step.
func (x *session) announce(t *testing.T, at place) {
	g := ci.FromEnvironment()
	if g == nil {
		return
	}
	var stories []*causes.Story
	if x.findings != nil {
		stories = x.findings.Stories()
	}
	var list []ci.Annotation
	add := func(level ci.Level, title, message string) {
		list = append(list, ci.Annotation{Level: level, File: at.file, Line: at.line, Title: title, Message: message})
	}
	place := func(code string) { // from the last line of code
		if file, line := ci.CodeAt(testbinary.Absolute("."), code); file != "" {
			last := &list[len(list)-1]
			last.File, last.Line = file, line
		}
	}
	for _, s := range stories {
		lines := append(s.Short(x.lock.ID), x.command(s.Scenario, s.Path, false))
		add(ci.Error, "Lockpick: "+s.What(), strings.Join(lines, "\n"))
		place(story.Code(s.Trace))
	}
	for _, p := range x.problems {
		add(ci.Error, "Lockpick: "+x.call.Name, p)
	}
	if t.Failed() && len(list) == 0 {
		add(ci.Error, "Lockpick: "+x.call.Name, "The test fails. The log says why.")
	}
	if x.findings != nil {
		for _, one := range x.findings.NotSearched {
			add(ci.Warning, "Lockpick: "+x.call.Name, causes.NotSearched(one))
		}
	}
	g.Annotate(os.Stdout, list...)
	if err := g.Summarize(x.markdown(stories)); err != nil {
		t.Logf("lockpick: the summary of the step cannot be written: %v", err)
	}
}

// markdown returns the summary of the call.
func (x *session) markdown(stories []*causes.Story) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "## Lockpick: %s\n\n", wording.Markdown(x.call.Name))
	for _, p := range x.problems {
		b.WriteString(wording.Fenced("text", p) + "\n")
	}
	if x.findings == nil {
		return b.String()
	}
	lines := strings.Split(x.findings.Headline(stories), "\n")
	if len(stories) == 0 {
		lines[0] = fmt.Sprintf("No fault was found in %s. That is no proof.", wording.Count(len(x.findings.Searched), "scenario"))
	}
	for _, line := range lines {
		fmt.Fprintf(&b, "%s\n\n", wording.Markdown(line))
	}
	for _, s := range stories {
		s.Markdown(&b, x.lock.ID, x.command(s.Scenario, s.Path, false))
	}
	if lines := slices.Concat(x.findings.Remarks(), x.vacuous, x.cutReport()); len(lines) > 0 {
		b.WriteString(wording.Fenced("text", strings.Join(lines, "\n")) + "\n")
	}
	return b.String()
}
