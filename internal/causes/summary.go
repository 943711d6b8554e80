package causes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// Summary reports the findings against a lock in all scenarios: a line for the verdict, one for each flaw that was not
// searched, then the first story and the first of a fault in full, the others in a sentence, a leak and runs that differ
// in full, then the remarks. The command replay shows the first story again, and confirm makes it happen on real servers.
// They follow the violation of that story, before the steps, unless empty.
func (f *Findings) Summary(lock string, stories []*Story, replay, confirm string) string {
	var full, short, last []string
	for i, s := range stories {
		switch {
		case i == 0:
			full = append(full, strings.Join(s.full(lock, replay, confirm), "\n"))
		case s.rank() == faultRank && stories[i-1].rank() != faultRank:
			full = append(full, strings.Join(s.full(lock, "", ""), "\n"))
		case s.rank() == lastRank:
			last = append(last, s.full(lock, "", "")...)
		default:
			short = append(short, s.Short(lock)...)
		}
	}
	parts := full
	for _, lines := range [][]string{short, last, f.Remarks()} {
		if len(lines) > 0 {
			parts = append(parts, strings.Join(lines, "\n"))
		}
	}
	return f.Headline(stories) + "\n" + strings.Join(parts, "\n\n")
}

// Headline returns the first lines: the findings, and the flaws that were not searched.
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

// headline names the cause of the first story, its scenarios, the simplest of them, and the number of other causes.
func (f *Findings) headline(stories []*Story) string {
	first := stories[0]
	text := fmt.Sprintf("%s: in %d of %s, ", first.What(), len(first.scenarios), wording.Count(len(f.Searched), "scenario"))
	if len(first.scenarios) > 1 {
		text += "simplest in "
	}
	text += first.Scenario
	others := map[string]bool{}
	for _, s := range stories {
		if s.rank() != first.rank() || s.What() != first.What() {
			others[fmt.Sprint(s.rank(), s.What())] = true
		}
	}
	if n := len(others); n > 0 {
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
	own := f.causes[0]
	if text := model.CauseOf(own.why).Text; text != "" {
		return text
	}
	return f.Trace.Broken(own.Property)
}

// Short describes a cause in a few lines. Lock is the name of the lock.
func (s *Story) Short(lock string) []string {
	var lines []string
	if s.Trouble != nil {
		lines = strings.Split(troubleTitle(lock, s.Scenario, s.Trouble)+"\n  "+s.Trouble.Reason, "\n")
	} else {
		lines = story.Outline(s.Trace)
	}
	return slices.Concat(lines, s.onReal(), s.beside(true))
}

// full describes a cause up to the violation. Replay is the command that shows the story again; if it is empty the story's
// path is shown. Confirm makes it happen on real servers.
func (s *Story) full(lock, replay, confirm string) []string {
	var wrong, more []string
	if s.Trouble != nil {
		wrong, more = troubleLines(lock, s.Scenario, s.Trouble)
	} else {
		wrong, more = render.Brief(s.Trace)
	}
	return slices.Concat(wrong, labelled("replay", replay), labelled("confirm", confirm), more, s.beside(replay == ""))
}

// About returns the lines beside a story that is shown elsewhere: other violations, and notes.
func (s *Story) About() (lines []string) {
	return slices.Concat(s.otherCauses(), labelled("also", s.also()), labelled("note", s.Note))
}

// otherCauses returns a sentence for each other cause that shows in the run.
func (s *Story) otherCauses() (lines []string) {
	for _, c := range s.covers[1:] {
		if v := s.sentence(c); v != nil {
			lines = append(lines, labelled("besides", c.Property+s.elsewhere(c)+": "+wording.Printable(v.Sentence))...)
		}
	}
	return lines
}

// beside returns the lines after a story. The path of its trace is left out if a command has it.
func (s *Story) beside(path bool) (lines []string) {
	if s.Trouble == nil {
		lines = labelled("needs", needs(s.Trace.Attribution))
	} else if s.Path != "" {
		lines = labelled("tape", fmt.Sprintf("%s, in %s", wording.Count(len(s.Trouble.Tape), "decision"), s.Path))
	}
	note := s.Note
	if note == "" && s.rank() == limitRank {
		note = s.limit
	}
	if s.Trouble == nil && s.Trace.Attribution != nil {
		lines = append(lines, labelled("", story.ManyNeeds(s.Trace.Attribution, s.Trace.Shrunk))...)
	}
	lines = slices.Concat(lines, s.otherCauses(), labelled("also", s.also()), labelled("note", note))
	if s.Trouble == nil && path && !strings.Contains(s.Note, s.Path) {
		lines = append(lines, labelled("trace", s.Path)...)
	}
	return lines
}

// onReal returns the results on real servers.
func (s *Story) onReal() (lines []string) {
	if s.Trouble != nil {
		return nil
	}
	for i := range s.Trace.Confirmations {
		lines = append(lines, labelled("real", wording.Printable(s.Trace.Confirmations[i].String()))...)
	}
	return lines
}

// labelled returns a line of a story, nothing without a text.
func labelled(label, text string) []string {
	if text == "" {
		return nil
	}
	return []string{fmt.Sprintf("  %-8s%s", label, text)}
}

// also names the other violated properties that have no sentence, and the other scenarios.
func (s *Story) also() string {
	var also []string
	for _, c := range s.covers[1:] {
		if s.sentence(c) == nil {
			also = append(also, c.Property+s.elsewhere(c))
		}
	}
	if len(also) > 0 {
		also = []string{strings.Join(also, ", ")}
	}
	if others := s.scenarios[1:]; len(others) > 0 {
		also = append(also, "in "+few(others))
	}
	return strings.Join(also, "; ")
}

// elsewhere names the scenarios that show a further cause of the story, but not its own.
func (s *Story) elsewhere(c cause) string {
	others := slices.DeleteFunc(slices.Clone(s.in[c]), func(o string) bool { return slices.Contains(s.scenarios, o) })
	if len(others) == 0 {
		return ""
	}
	return " (in " + few(others) + " too)"
}

// needs describes what a counterexample needs, empty if unknown.
func needs(a *traces.Attribution) string {
	if a == nil {
		return ""
	}
	if len(a.Deviations) == 0 {
		return "nothing: it is violated in the calm run"
	}
	return strings.Join(story.Needed(a), "; ")
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
	how, where := troubleLines(lock, scenario, trouble)
	return strings.Join(append(how, where...), "\n")
}

// troubleLines return how a run ended, and then where, with advice.
func troubleLines(lock, scenario string, trouble *explore.Trouble) (how, where []string) {
	how = strings.Split(troubleTitle(lock, scenario, trouble)+"\n\n  "+wording.PrintableLines(trouble.Reason), "\n")
	text := "\nWhat to do: " + Advice(trouble)
	if trouble.Stack != "" {
		text = "\n" + wording.Indent(wording.PrintableLines(trouble.Stack)) + "\n" + text
	}
	return how, strings.Split(text, "\n")
}

func troubleTitle(lock, scenario string, trouble *explore.Trouble) string {
	return fmt.Sprintf("%s: %s under %s, in schedule %d", trouble.Kind, lock, scenario, trouble.Schedule)
}

// Remarks returns a line for each cause of limits, and for each expected violation.
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
