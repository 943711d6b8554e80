package story

import (
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// TroubleText describes the trace of a run that did not finish.
const TroubleText = "The run did not finish. The trace has its decisions until then, so that it can be replayed, but no events."

// VersionText returns the versions that recorded the trace.
func VersionText(t *traces.Trace) string { return wording.Fit(wording.Printable(t.Made.String()), 200) }

// StackText returns the stack of a run that did not finish, empty if the trace has none.
func StackText(t *traces.Trace) string {
	return strings.TrimSpace(wording.PrintableLines(t.Trouble.Stack))
}

// VerdictMarks are the marks before verdicts, so that the text does not rely on colour.
var VerdictMarks = map[model.Status]string{model.Holds: "✓", model.Violated: "✗", model.Undecided: "?", model.NotApplicable: "–"}

// Parameters returns the parameters as on the command line.
func Parameters(list []traces.Parameter) []string {
	parts := make([]string, len(list))
	for i, p := range list {
		parts[i] = wording.Fit(wording.Printable(p.Name)+"="+wording.Printable(p.Value), 80)
	}
	return parts
}

// FoundLine describes the search and the schedule of the run.
func FoundLine(t *traces.Trace) string {
	if t.Experiment != nil {
		return fmt.Sprintf("the experiment, with seed %d", t.Seed)
	}
	if t.Strategy == "rapid" {
		return "rapid" // its seed is in what rapid prints
	}
	if t.Strategy == "" && t.Seed == 0 {
		return fmt.Sprintf("schedule %d of an exhaustive search", t.Schedule)
	}
	text := fmt.Sprintf("schedule %d of seed %d", t.Schedule, t.Seed)
	if t.Strategy != "" {
		text += ", strategy " + wording.Fit(wording.Printable(t.Strategy), 40)
	}
	return text
}

// ShrunkLine returns the line about shrinking; empty if there was none.
func ShrunkLine(t *traces.Trace) string {
	if t.Shrunk == nil {
		return ""
	}
	text := shrunkText(t.Shrunk)
	if before := parametersBefore(t.Shrunk, t); len(before) > 0 {
		text += "; found with " + strings.Join(before, " ")
	}
	return text
}

// shrunkText describes the shrinking of a counterexample: "from 66 deviations to 2, in 378
// runs".
func shrunkText(s *traces.Shrunk) string {
	text := fmt.Sprintf("from %s to %d, in %s", wording.Count(s.From, "deviation"), s.To, wording.Count(s.Runs, "run"))
	if s.Exhausted {
		text += "; the budget ended it, and there was more to try"
	}
	return text
}

// Title returns what was violated, and by which lock and under which scenario.
func Title(t *traces.Trace) (what, rest string) {
	lock, scenario := wording.Printable(t.Lock), wording.Printable(t.Scenario)
	if t.Experiment != nil {
		return "experiment " + scenario, fmt.Sprintf(": %s, seed %d; this is what happened", lock, t.Seed)
	}
	what, more := "no violation", "; this is what happened"
	if v := t.Verdict(); t.Trouble != nil {
		what, more = wording.Printable(t.Trouble.Kind), ""
	} else if v != nil {
		what, more = t.Broken(v.Property), ""
	}
	return what, fmt.Sprintf(": %s under %s%s", lock, scenario, Suffix(OnReal(t))+more)
}

// Sentences describe how the property was violated. For a run that did not finish they describe why, with a note and the
// stack.
func Sentences(t *traces.Trace) (text, note, stack string) {
	if t.Trouble != nil {
		return wording.Printable(t.Trouble.Reason), TroubleText, StackText(t)
	}
	if v := t.Verdict(); v != nil {
		return wording.Printable(v.Sentence), "", ""
	}
	return "", "", ""
}

// Outline describes a trace in two lines: what is violated, and how.
func Outline(t *traces.Trace) []string {
	what, rest := Title(t)
	text, note, stack := Sentences(t)
	lines := []string{what + rest}
	for _, line := range append(append([]string{text}, wording.Wrap(note, 98)...), strings.Split(stack, "\n")...) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, "  "+line)
		}
	}
	return lines
}

// Headline returns the first sentence of a drawing: what is wrong in the trace.
func Headline(t *traces.Trace) string {
	if v := t.Verdict(); v != nil && v.Sentence != "" {
		return wording.Printable(v.Sentence)
	}
	return wording.Printable(t.Lock + " under " + t.Scenario)
}
