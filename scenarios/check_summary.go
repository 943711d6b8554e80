package scenarios

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// everything reports whether somebody looks at all that is found, and not at one
// story of each cause only.
func everything() bool {
	f := flag.Lookup("test.artifacts")
	return testing.Verbose() || flags.out() != "" || f != nil && f.Value.String() == "true"
}

// fail fails the subtest of one scenario for what was found there. Each cause has
// one story, which comes when all scenarios have been searched.
func (a *attack) fail(t *testing.T, list []*failure) {
	t.Helper()
	fresh := a.findings.add(list)
	switch {
	case len(list) == 0:
	case testing.Verbose():
		for _, f := range list {
			t.Error(a.failureText(f))
		}
	case len(fresh) > 0:
		t.Errorf("%s (told below)", strings.Join(unique(fresh), "; "))
	default:
		t.Fail() // the summary names the scenario
	}
}

// failureText tells all of a failure.
func (a *attack) failureText(f *failure) string {
	path := f.path
	if f.trouble != nil {
		return a.troubleText(f.scenario, f.trouble, f.note, path)
	}
	if path == "" {
		path = a.outPath(f.trace)
	}
	return a.findingText(f.trace, f.note, path)
}

// summarize tells what a call of Check has found in all scenarios: one story of
// each cause, the simplest first, then limits, and as its last line the command
// that shows the first again. It keeps one case of each cause.
func (a *attack) summarize(t *testing.T) {
	t.Helper()
	stories := a.findings.stories()
	if len(stories) == 0 {
		if lines := a.remarks(); testing.Verbose() && len(lines) > 0 {
			t.Log("no fault was found\n" + strings.Join(lines, "\n"))
		}
		return
	}
	var full, short []string
	for i, s := range stories {
		if s.path == "" && !s.unsteady {
			s.path = a.kept(t, s.trace)
		}
		if i == 0 || s.rank() == faultRank && stories[i-1].rank() != faultRank {
			full = append(full, strings.Join(a.storyLines(s, true, i == 0), "\n"))
		} else {
			short = append(short, a.storyLines(s, false, i == 0)...)
		}
	}
	parts := full
	for _, lines := range [][]string{short, a.remarks(), {a.command(stories[0].scenario, stories[0].path, false)}} {
		if len(lines) > 0 {
			parts = append(parts, strings.Join(lines, "\n"))
		}
	}
	t.Errorf("%s\n%s", a.headline(stories), strings.Join(parts, "\n\n"))
}

// headline says what is wrong, in how many scenarios, and in which it is simplest.
func (a *attack) headline(stories []*causeStory) string {
	first := stories[0]
	text := fmt.Sprintf("%s: in %d of %s, ", first.what(), len(first.scenarios), wording.Count(len(a.findings.searched), "scenario"))
	if len(first.scenarios) > 1 {
		text += "simplest in "
	}
	text += first.scenario
	if n := len(stories) - 1; n > 0 {
		text += fmt.Sprintf("; and %s", wording.Count(n, "other cause"))
	}
	return text
}

// storyLines tell of a cause: in full until the property is violated, or in a
// sentence. The last line of all names the case of the first.
func (a *attack) storyLines(s *causeStory, full, first bool) (lines []string) {
	label := func(label, text string) {
		if text != "" {
			lines = append(lines, fmt.Sprintf("  %-8s%s", label, text))
		}
	}
	path := s.path
	if first || strings.Contains(s.note, path) {
		path = ""
	}
	if s.trouble == nil {
		lines = briefly(s.trace, full)
		label("needs", needs(s.trace.Attribution))
	} else {
		lines = strings.Split(a.troubleStory(s.scenario, s.trouble, full), "\n")
		if s.path != "" {
			label("tape", fmt.Sprintf("%s, in %s", wording.Count(len(s.trouble.Tape), "decision"), s.path))
		}
		path = ""
	}
	var also []string
	if len(s.properties) > 1 {
		also = append(also, strings.Join(s.properties[1:], ", "))
	}
	if others := s.scenarios[1:]; len(others) > 0 {
		also = append(also, "in "+few(others))
	}
	label("also", strings.Join(also, "; "))
	if s.note == "" && s.rank() == limitRank {
		s.note = "a limit of leases, not a fault of the lock: it fails since scenarios.Strict is given"
	}
	label("note", s.note)
	label("trace", path)
	return lines
}

// briefly is what a trace shows, each thing in one line: until the property is
// violated, or in a sentence.
func briefly(t *traces.Trace, full bool) (lines []string) {
	var b strings.Builder
	_ = render.Explain(&b, t, render.Style{Brief: true}) // a Builder takes everything
	parts := strings.Split(strings.TrimSpace(b.String()), "\n\n")
	if !full {
		parts[0], _, _ = strings.Cut(parts[0], "\n") // without the rule
		parts = parts[:min(len(parts), 2)]
	}
	for _, part := range parts {
		sentence := strings.HasPrefix(part, "  ")
		for i, line := range strings.Split(part, "\n") {
			if i > 0 && (sentence || strings.HasPrefix(line, "       ")) { // it goes on
				lines[len(lines)-1] += " " + strings.TrimSpace(line)
				continue
			}
			lines = append(lines, line)
		}
	}
	if end := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "✗") }); end >= 0 {
		return lines[:end+1]
	}
	return lines
}

// needs says what a counterexample needs, empty if that is not known.
func needs(a *traces.Attribution) string {
	if a == nil {
		return ""
	}
	var list []string
	for _, d := range a.Deviations {
		if d.Needed {
			list = append(list, d.Text)
		}
	}
	if len(a.Deviations) == 0 {
		return "nothing: it is violated in the calm run"
	}
	return strings.Join(list, "; ")
}

// few are some of the names, and how many more there are.
func few(names []string) string {
	const most = 3
	if len(names) > most+1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// remarks have a line for each cause of limits, for each expected violation, and for
// each warning.
func (a *attack) remarks() (lines []string) {
	for _, cause := range model.Causes() {
		var properties, in []string
		for _, t := range a.findings.limits {
			if v := t.Verdict(); v != nil && v.Cause == cause.ID {
				properties, in = append(properties, t.Property), append(in, t.Scenario)
			}
		}
		if len(in) > 0 {
			lines = append(lines, fmt.Sprintf("limit of leases, not a fault: %s (%s in %s)", cause.Text, strings.Join(inOrder(properties[0], properties), ", "), few(unique(in))))
		}
	}
	for _, t := range a.findings.expected {
		lines = append(lines, fmt.Sprintf("expected: %s is violated in %s", t.Property, t.Scenario))
	}
	for _, w := range a.findings.warnings {
		lines = append(lines, "warning: "+w)
	}
	return lines
}
