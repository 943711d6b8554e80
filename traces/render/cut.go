package render

import (
	"fmt"
	"sort"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

const (
	// maxShown is how many events the pictures of a page show, and its table without
	// the script. A page of more would be slow to open.
	maxShown = 2000
	// maxBars is how many operations and observations it shows.
	maxBars = 4000
)

// extract is the part of a run that a page shows.
type extract struct {
	events []sim.Event
	// from and to are the events between which bars and marks are drawn, but
	// for those that the story is about, which always are.
	from, to int64
	// note says what was left out; empty if nothing was.
	note string
}

// extract cuts the run around the violating step, or around the steps.
func (s *story) extract(steps []Step) extract {
	all := s.t.Events
	x := extract{events: all, to: s.t.LastSeq() + 1}
	if len(all) <= maxShown {
		x.note = s.t.LeftOut()
		return x
	}
	middle, around := s.middle(steps)
	from := max(0, min(middle-maxShown/2, len(all)-maxShown))
	x.events = all[from : from+maxShown]
	first, last := x.events[0], x.events[maxShown-1]
	what := "the messages in the pictures"
	if len(s.t.History.Operations)+len(s.t.History.Observations) > maxBars {
		x.from, x.to = first.Seq, last.Seq
		what = "the pictures"
	}
	x.note = fmt.Sprintf("This run has %d events. To keep the page small, %s are limited to events %d to %d (%s to %s), %s.",
		max(int64(len(all)), s.t.LastSeq()), what, first.Seq, last.Seq, traces.Moment(first.At), traces.Moment(last.At), around)
	if text := s.t.LeftOut(); text != "" {
		x.note += " " + text
	}
	return x
}

// middle is the index of the event around which to cut, and says what it is.
func (s *story) middle(steps []Step) (index int, around string) {
	if x := s.t.Experiment; x != nil {
		first := sort.Search(len(s.t.Events), func(i int) bool { return s.t.Events[i].At >= x.From })
		return first + maxShown/2, "from the start of the part that is shown"
	}
	if len(steps) == 0 {
		return 0, "from the start"
	}
	first, last := s.indexOf(steps[0].Seq), s.indexOf(steps[len(steps)-1].Seq)
	for _, step := range steps {
		if !step.Violating {
			continue
		}
		if last-first > maxShown {
			return s.indexOf(step.Seq), "around the violation"
		}
		return (first + last) / 2, "around the violation"
	}
	if last-first > maxShown {
		return first + maxShown/2, "from the first of the steps"
	}
	return (first + last) / 2, "around the steps"
}

// shows reports whether what happened from one event to another is drawn.
func (x *extract) shows(from, to int64) bool { return from <= x.to && to >= x.from }
