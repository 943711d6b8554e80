package causes

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// Summary reports what was found against a lock in all scenarios: a line on what is
// wrong, and one for each thing that was not searched, then the first story and the first of a fault in full, the others in a
// sentence, a leak in full, then the remarks, and as its last line the command that shows
// the first story again.
func (f *Findings) Summary(lock string, stories []*Story, command string) string {
	var full, short, leak []string
	for i, s := range stories {
		switch {
		case i == 0 || s.rank() == faultRank && stories[i-1].rank() != faultRank:
			full = append(full, strings.Join(s.lines(lock, true, i == 0), "\n"))
		case s.rank() == leakRank:
			leak = append(leak, s.lines(lock, true, false)...)
		default:
			short = append(short, s.lines(lock, false, false)...)
		}
	}
	parts := full
	for _, lines := range [][]string{short, leak, f.Remarks(), {command}} {
		if len(lines) > 0 {
			parts = append(parts, strings.Join(lines, "\n"))
		}
	}
	return f.Headline(stories) + "\n" + strings.Join(parts, "\n\n")
}

// Headline has the first lines: what was found, and what was not searched.
func (f *Findings) Headline(stories []*Story) string {
	lines := []string{"no fault was found"}
	if len(stories) > 0 {
		lines[0] = f.headline(stories)
	}
	for _, one := range f.NotSearched {
		lines = append(lines, NotSearched(one))
	}
	return strings.Join(lines, "\n")
}

// headline names the cause of the first story, its scenarios, and the simplest of them.
func (f *Findings) headline(stories []*Story) string {
	first := stories[0]
	text := fmt.Sprintf("%s: in %d of %s, ", first.What(), len(first.scenarios), wording.Count(len(f.Searched), "scenario"))
	if len(first.scenarios) > 1 {
		text += "simplest in "
	}
	text += first.Scenario
	if n := len(stories) - 1; n > 0 {
		text += fmt.Sprintf("; and %s", wording.Count(n, "other cause"))
	}
	return text
}

// What describes the failure in a line.
func (f *Failure) What() string {
	if f.Trouble != nil {
		const most = 100
		line, _, _ := strings.Cut(f.Trouble.Reason, "\n")
		if runes := []rune(line); len(runes) > most {
			line = string(runes[:most]) + " …"
		}
		return string(f.Trouble.Kind) + ": " + line
	}
	cause := f.causes[0]
	return cmp.Or(model.CauseOf(cause).Text, cause+" is violated")
}

// Short describes a cause in a few lines. Lock is the name of the lock.
func (s *Story) Short(lock string) []string { return s.lines(lock, false, false) }

// About has the lines beside a story that is shown elsewhere: what else is violated, and notes.
func (s *Story) About() (lines []string) {
	for _, l := range [][2]string{{"also", s.also()}, {"note", s.Note}} {
		if l[1] != "" {
			lines = append(lines, fmt.Sprintf("  %-8s%s", l[0], l[1]))
		}
	}
	return lines
}

// lines describe a cause: in full until the property is violated, or in a sentence.
// The last line of the summary names the case of the first story.
func (s *Story) lines(lock string, full, first bool) (lines []string) {
	label := func(label, text string) {
		if text != "" {
			lines = append(lines, fmt.Sprintf("  %-8s%s", label, text))
		}
	}
	switch {
	case s.Trouble != nil && full:
		lines = strings.Split(TroubleText(lock, s.Scenario, s.Trouble), "\n")
	case s.Trouble != nil:
		lines = strings.Split(troubleTitle(lock, s.Scenario, s.Trouble)+"\n  "+s.Trouble.Reason, "\n")
	case full:
		lines = render.Brief(s.Trace)
	default:
		lines = render.Outline(s.Trace)
	}
	if s.Trouble == nil {
		label("needs", needs(s.Trace.Attribution))
	} else if s.Path != "" {
		label("tape", fmt.Sprintf("%s, in %s", wording.Count(len(s.Trouble.Tape), "decision"), s.Path))
	}
	label("also", s.also())
	note := s.Note
	if note == "" && s.rank() == limitRank {
		note = s.limit
	}
	label("note", note)
	if s.Trouble == nil && !first && !strings.Contains(s.Note, s.Path) {
		label("trace", s.Path)
	}
	return lines
}

// also names the other violated properties of the cause, and the other scenarios.
func (s *Story) also() string {
	var also []string
	if len(s.properties) > 1 {
		also = append(also, strings.Join(s.properties[1:], ", "))
	}
	if others := s.scenarios[1:]; len(others) > 0 {
		also = append(also, "in "+few(others))
	}
	return strings.Join(also, "; ")
}

// needs says what a counterexample needs, empty if unknown.
func needs(a *traces.Attribution) string {
	if a == nil {
		return ""
	}
	if len(a.Deviations) == 0 {
		return "nothing: it is violated in the calm run"
	}
	var list []string
	for _, d := range a.Deviations {
		if d.Needed {
			list = append(list, d.Text)
		}
	}
	return strings.Join(list, "; ")
}

// few lists the first names, and counts the others.
func few(names []string) string {
	const most = 3
	if len(names) > most+1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// TroubleText describes how a run ended and where, with advice.
func TroubleText(lock, scenario string, trouble *explore.Trouble) string {
	text := troubleTitle(lock, scenario, trouble) + "\n\n  " + trouble.Reason
	if trouble.Stack != "" {
		text += "\n\n" + wording.Indent(trouble.Stack)
	}
	return text + "\n\nWhat to do: " + advice(trouble)
}

func troubleTitle(lock, scenario string, trouble *explore.Trouble) string {
	return fmt.Sprintf("%s: %s under %s, in schedule %d", trouble.Kind, lock, scenario, trouble.Schedule)
}

// Remarks have a line for each cause of limits, and for each expected violation.
func (f *Findings) Remarks() (lines []string) {
	for _, cause := range model.Causes() {
		var properties, in []string
		for _, t := range f.Limits {
			if v := t.Verdict(); v != nil && v.Cause == cause.ID {
				properties, in = append(properties, t.Property), append(in, t.Scenario)
			}
		}
		if len(in) > 0 {
			lines = append(lines, fmt.Sprintf("limit of leases, not a fault: %s (%s in %s)", cause.Text, strings.Join(inOrder(properties[0], properties), ", "), few(unique(in))))
		}
	}
	for _, t := range f.Expected {
		lines = append(lines, fmt.Sprintf("expected: %s is violated in %s", t.Property, t.Scenario))
	}
	return lines
}
