package story

import (
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// Story is the run and the steps of it that matter.
type Story struct {
	*Plot
	Steps []Step
	// Omitted describes the omitted steps, empty if there are none.
	Omitted string
	// Repeats are, by the event of a step, the times at which its actor repeated it.
	Repeats map[int64][]model.Stamp
}

// Of returns the story of a trace.
func Of(t *traces.Trace) *Story { return newPlot(t).Story() }

// Story chooses the steps of a plot.
func (s *Plot) Story() *Story {
	c := chooser{Plot: s, again: map[int64][]model.Stamp{}}
	steps := c.choose()
	return &Story{Plot: s, Steps: steps, Omitted: c.omittedSteps(steps), Repeats: c.again}
}

// Steps returns the few steps that matter for the verdict on t.Property, in order. Without
// a violation it returns the most informative ones. There are at most [MaxSteps], unless more of them
// decided the verdict.
func Steps(t *traces.Trace) []Step { return Of(t).Steps }
