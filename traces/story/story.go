package story

import (
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// Story is what happened in a run, and the steps of it that matter.
type Story struct {
	*Plot
	Steps []Step
	// Omitted says which other steps there are, empty if there are none.
	Omitted string
	// Repeats are, by the event of a step, when its actor did the same once more.
	Repeats map[int64][]model.Stamp
}

// Of is the story of a trace.
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
