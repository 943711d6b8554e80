package render

import "github.com/lockpick-dev/lockpick/traces"

// withCode are steps that say which line of code is behind each.
func (s *story) withCode(steps []Step) []Step {
	for i := range steps {
		steps[i].Text += by(s.behindCode(steps[i].Seq, steps[i].Actor))
	}
	return steps
}

// Code is the line of the user's code that the violation of a trace is shown at: that of the step with which the property is broken, or
// of the last one before it whose line is known. It is empty if there is none.
func Code(t *traces.Trace) (code string) {
	s := newStory(t)
	for _, step := range UntilViolated(s.steps()) {
		if c := s.behindCode(step.Seq, step.Actor); c != "" {
			code = c
		}
	}
	return code
}
