package story

import (
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

// Result is a result on real servers.
type Result struct {
	Text string
	// Class is "good" if it was confirmed, and "soft" if not.
	Class string
}

// Results returns the results of a trace on real servers.
func Results(t *traces.Trace) (list []Result) {
	for i := range t.Confirmations {
		c := &t.Confirmations[i]
		class := "soft"
		if c.Confirmed > 0 {
			class = "good"
		}
		list = append(list, Result{wording.Printable(c.String()), class})
	}
	return list
}

// OnReal describes on which servers a run was made, empty for a simulated one.
func OnReal(t *traces.Trace) string {
	if t.Real == nil {
		return ""
	}
	return "real run on " + wording.Printable(t.Real.Server)
}

// RealFact describes where and when a run on real servers was made.
func RealFact(r *traces.Real) string {
	return wording.Printable(fmt.Sprintf("try %d on %s, with %s, on %s, %s", r.Try, r.Server, r.Client, r.Platform, r.When))
}

// RealText returns what a reader must know about a run on real servers, "" for a simulated one.
func RealText(t *traces.Trace) string {
	if t.Real == nil {
		return ""
	}
	text := "This run was made on real servers, not simulated: its times are real, and it has no tape to replay."
	if a := t.Attached; a != nil {
		text = fmt.Sprintf("This run was made on real servers, by processes of the command %s. Its times are real. The violation happened in %d of %d tries of ",
			wording.Fit(wording.Printable(strings.Join(a.Command, " ")), 200), a.Shown, a.Of)
		text += "these faults: " + strings.Join(a.Faults, "; ") + "."
		if len(a.Faults) == 0 {
			text = strings.TrimSuffix(text, "these faults: .") + "a run without a fault."
		}
	}
	if t.Real.Diverged != "" {
		text += " It left the order of the simulated run and ended there: " + wording.Printable(t.Real.Diverged) + "."
	}
	return text
}

// Suffix returns a comma and the text, "" if the text is empty.
func Suffix(text string) string {
	if text == "" {
		return ""
	}
	return ", " + text
}
