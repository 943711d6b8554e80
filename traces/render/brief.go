package render

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/traces"
)

// Outline says what a trace shows in two lines: what is violated, and how.
func Outline(t *traces.Trace) []string {
	return unbroken(t, func(e *explainer) {
		e.title()
		e.sentence()
	})
}

// Brief is what [Explain] says if the style is brief, until the property is
// violated. The sentence is one line, and so is each step, however long it is.
func Brief(t *traces.Trace) []string {
	return unbroken(t, func(e *explainer) {
		e.headline()
		steps := Steps(t)
		e.steps(steps, UntilViolated(steps), nil, 0)
	})
}

// unbroken are the lines that are written where no width breaks them.
func unbroken(t *traces.Trace, write func(*explainer)) []string {
	var out bytes.Buffer
	write(&explainer{out: &out, t: t, text: textWidth, width: math.MaxInt})
	return strings.FieldsFunc(out.String(), func(r rune) bool { return r == '\n' })
}

// UntilViolated are the steps up to the one that violates the property, all of them
// if none does.
func UntilViolated(steps []Step) []Step {
	if i := slices.IndexFunc(steps, func(s Step) bool { return s.Violating }); i >= 0 {
		return steps[:i+1]
	}
	return steps
}
