package picture

import (
	"fmt"
	"sort"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

const (
	// MaxShown is the maximum number of events in the pictures of a page, and in its table without the script. A larger page
	// would be slow to open.
	MaxShown = 2000
	// maxBars is the maximum number of operations and observations shown.
	maxBars = 4000
)

// Extract is the part of a run that a page shows.
type Extract struct {
	Events []sim.Event
	// from and to are the events between which bars and marks are drawn. Those of the story are always drawn.
	from, to int64
	// Note describes what was left out; empty if nothing was.
	Note string
}

// newExtract cuts the run around the violating step, or around the steps.
func newExtract(s *story.Story) Extract {
	all := s.Trace.Events
	x := Extract{Events: all, to: s.Trace.LastSeq() + 1}
	if len(all) <= MaxShown {
		x.Note = s.Trace.LeftOut()
		return x
	}
	middle, around := middle(s)
	from := max(0, min(middle-MaxShown/2, len(all)-MaxShown))
	x.Events = all[from : from+MaxShown]
	first, last := x.Events[0], x.Events[MaxShown-1]
	what := "the messages in the pictures"
	if len(s.Trace.History.Operations)+len(s.Trace.History.Observations) > maxBars {
		x.from, x.to = first.Seq, last.Seq
		what = "the pictures"
	}
	x.Note = fmt.Sprintf("This run has %d events. To keep the page small, %s are limited to events %d to %d (%s to %s), %s.",
		max(int64(len(all)), s.Trace.LastSeq()), what, first.Seq, last.Seq, traces.Moment(first.At), traces.Moment(last.At), around)
	if text := s.Trace.LeftOut(); text != "" {
		x.Note += " " + text
	}
	return x
}

// middle returns the index of the event around which to cut, with a phrase for the place.
func middle(s *story.Story) (index int, around string) {
	steps := s.Steps
	if x := s.Trace.Experiment; x != nil {
		first := sort.Search(len(s.Trace.Events), func(i int) bool { return s.Trace.Events[i].At >= x.From })
		return first + MaxShown/2, "from the start of the part that is shown"
	}
	if len(steps) == 0 {
		return 0, "from the start"
	}
	first, last := s.IndexOf(steps[0].Seq), s.IndexOf(steps[len(steps)-1].Seq)
	for _, step := range steps {
		if !step.Violating {
			continue
		}
		if last-first > MaxShown {
			return s.IndexOf(step.Seq), "around the violation"
		}
		return (first + last) / 2, "around the violation"
	}
	if last-first > MaxShown {
		return first + MaxShown/2, "from the first of the steps"
	}
	return (first + last) / 2, "around the steps"
}

// shows reports whether something between two events is drawn.
func (x *Extract) shows(from, to int64) bool { return from <= x.to && to >= x.from }
