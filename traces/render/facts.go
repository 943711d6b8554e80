package render

import (
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// troubleText describes the trace of a run that did not finish.
const troubleText = "The run did not finish. The trace has its decisions until then, so that it can be replayed, but no events."

// versionText is what recorded the trace.
func versionText(t *traces.Trace) string { return wording.Fit(wording.Printable(t.Made.String()), 200) }

// stackText is the stack of a run that did not finish, empty if the trace has none.
func stackText(t *traces.Trace) string {
	return strings.TrimSpace(wording.PrintableLines(t.Trouble.Stack))
}

// verdictMarks stand before verdicts, so that the text does not rely on colour.
var verdictMarks = map[model.Status]string{model.Holds: "✓", model.Violated: "✗", model.Undecided: "?", model.NotApplicable: "–"}

// parameters are the parameters as on the command line.
func parameters(list []traces.Parameter) []string {
	parts := make([]string, len(list))
	for i, p := range list {
		parts[i] = wording.Fit(wording.Printable(p.Name)+"="+wording.Printable(p.Value), 80)
	}
	return parts
}

// foundLine says which schedule of which search the run was.
func foundLine(t *traces.Trace) string {
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

// shrunkLine is the line about shrinking; empty if there was none.
func shrunkLine(t *traces.Trace) string {
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
