package story

import (
	"cmp"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// maxToldLines is the most printed lines that a story has.
const maxToldLines = 40

// WithCode are steps that say which line of code is behind each, and the lines that were printed until the last of them: if they are
// many, the last ones.
func (s *Story) WithCode(steps []Step) []Step {
	steps = slices.Clone(steps)
	last, until := s.Trace.LastSeq(), UntilViolated(steps)
	if s.Verdict != nil && len(until) > 0 {
		last = until[len(until)-1].Seq
	}
	for i := range steps {
		steps[i].Text += by(s.BehindCode(steps[i].Seq, steps[i].Actor))
	}
	lines, _ := s.PrintedLines()
	lines = slices.DeleteFunc(lines, func(r *sim.Remark) bool { return r.Seq > last })
	for _, r := range lines[max(0, len(lines)-maxToldLines):] {
		steps = append(steps, Step{Seq: r.Seq, At: r.At, Actor: cmp.Or(r.Actor, sim.Conductor), Text: "prints: " + LineText(r), Decides: true, printed: true})
	}
	slices.SortStableFunc(steps, func(a, b Step) int { // what was printed behind an event follows it
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Seq, b.Seq), -trueFirst(a.printed, b.printed))
	})
	return steps
}

// UnshownLines says how many printed lines a story has left out, empty if it has all.
func (s *Story) UnshownLines(steps []Step) string {
	lines, n := s.PrintedLines()
	n += len(lines)
	for i := range steps {
		if steps[i].printed {
			n--
		}
	}
	if n == 0 {
		return ""
	}
	return wording.Count(n, "printed line") + " more " + map[bool]string{true: "is", false: "are"}[n == 1] + " not shown."
}

// Code is the line of the user's code that the violation of a trace is shown at: that of the step with which the property is broken, or
// of the last one before it whose line is known. It is empty if there is none.
func Code(t *traces.Trace) (code string) {
	s := Of(t)
	for _, step := range UntilViolated(s.Steps) {
		if c := s.BehindCode(step.Seq, step.Actor); c != "" {
			code = c
		}
	}
	return code
}
