package story

import (
	"cmp"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// maxToldLines is the maximum number of printed lines in a story.
const maxToldLines = 40

// WithCode returns the steps with the line of code behind each, and with the lines printed up to the last step: if they
// are many, the last ones.
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
	slices.SortStableFunc(steps, func(a, b Step) int { // a line printed after an event follows it
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Seq, b.Seq), -trueFirst(a.printed, b.printed))
	})
	return steps
}

// UnshownLines describes how many printed lines a story has left out, "" if it has all.
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

// Code returns the line of the user's code that shows the violation of a trace: that of the violating step, or of the last
// one before it whose line is known. It is empty if there is none.
func Code(t *traces.Trace) (code string) {
	s := Of(t)
	for _, step := range UntilViolated(s.Steps) {
		if c := s.BehindCode(step.Seq, step.Actor); c != "" {
			code = c
		}
	}
	return code
}
