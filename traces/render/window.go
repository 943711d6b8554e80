package render

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// window is a stretch of virtual time that a picture shows.
type window struct{ from, to time.Duration }

func (w window) span() time.Duration { return w.to - w.from }

// leastSpan keeps a picture of an instant from dividing by zero.
const leastSpan = time.Microsecond

// wholeRun is the run from its start to its end and a little more, so that
// what happens at either end does not lie on the border.
func wholeRun(t *traces.Trace) window {
	margin := max(leastSpan, t.EndAt()/64)
	return window{-margin, t.EndAt() + margin}
}

// storyWindow is the stretch in which the steps lie, with a margin. If that
// is most of the run, it is the whole run.
func (s *story) storyWindow(steps []Step) window {
	whole := wholeRun(s.t)
	if x := s.t.Experiment; x != nil && x.From < s.t.EndAt() {
		return window{max(whole.from, x.From-(s.t.EndAt()-x.From)/64), whole.to}
	}
	if len(steps) == 0 {
		return whole
	}
	w := window{steps[0].At, steps[len(steps)-1].At}
	if s.verdict != nil && s.verdict.From.Happened() {
		w.from = min(w.from, s.verdict.From.At)
		w.to = max(w.to, s.verdict.To.At)
	}
	margin := max(leastSpan, w.span()/20)
	w = window{max(whole.from, w.from-margin), min(whole.to, w.to+margin)}
	if w.span() < leastSpan || w.span() > whole.span()/10*6 {
		return whole
	}
	return w
}

// lensWindow is the crucial moment, magnified so far that messages can be
// seen to travel.
func (s *story) lensWindow(steps []Step, overview window) window {
	at := overview.from + overview.span()/2
	if s.t.Experiment == nil && len(steps) > 0 {
		at = steps[0].At
	}
	for _, step := range steps {
		if step.Violating {
			at = step.At
		}
	}
	const trips = 24 // ordinary message latencies across
	span := max(leastSpan, min(trips*medianLatency(s.t), overview.span()/4))
	from := max(overview.from, at-span*3/5)
	return window{from, from + span}
}

// medianLatency is how long a segment usually travels. Without segments it
// is a guess.
func medianLatency(t *traces.Trace) time.Duration {
	var all []time.Duration
	for _, e := range t.Events {
		if e.Kind == sim.EventDeliver && e.Sent > 0 && !e.Late {
			all = append(all, e.At-e.Sent)
		}
	}
	if len(all) == 0 {
		return 300 * time.Microsecond
	}
	slices.Sort(all)
	return max(time.Microsecond, all[len(all)/2])
}
