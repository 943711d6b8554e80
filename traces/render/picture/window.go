package picture

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// Window is a stretch of virtual time that a picture shows.
type Window struct{ From, To time.Duration }

// Span returns the length of a window.
func (w Window) Span() time.Duration { return w.To - w.From }

// LeastSpan keeps a picture of an instant from dividing by zero.
const LeastSpan = time.Microsecond

// WholeRun returns the run from its start to its end and a little more, so that nothing lies on the border.
func WholeRun(t *traces.Trace) Window {
	margin := max(LeastSpan, t.EndAt()/64)
	return Window{-margin, t.EndAt() + margin}
}

// StoryWindow returns the stretch in which the steps lie, with a margin. If that
// is most of the run, it is the whole run.
func StoryWindow(s *story.Story) Window {
	steps := s.Steps
	whole := WholeRun(s.Trace)
	if x := s.Trace.Experiment; x != nil && x.From < s.Trace.EndAt() {
		return Window{max(whole.From, x.From-(s.Trace.EndAt()-x.From)/64), whole.To}
	}
	if len(steps) == 0 {
		return whole
	}
	w := Window{steps[0].At, steps[len(steps)-1].At}
	if s.Verdict != nil && s.Verdict.From.Happened() {
		w.From = min(w.From, s.Verdict.From.At)
		w.To = max(w.To, s.Verdict.To.At)
	}
	margin := max(LeastSpan, w.Span()/20)
	w = Window{max(whole.From, w.From-margin), min(whole.To, w.To+margin)}
	if w.Span() < LeastSpan || w.Span() > whole.Span()/10*6 {
		return whole
	}
	return w
}

// LensWindow returns the crucial time, magnified so much that messages visibly travel.
func LensWindow(s *story.Story, overview Window) Window {
	steps := s.Steps
	at := overview.From + overview.Span()/2
	if s.Trace.Experiment == nil && len(steps) > 0 {
		at = steps[0].At
	}
	for _, step := range steps {
		if step.Violating {
			at = step.At
		}
	}
	const trips = 24 // ordinary message latencies across
	span := max(LeastSpan, min(trips*MedianLatency(s.Trace), overview.Span()/4))
	from := max(overview.From, at-span*3/5)
	return Window{from, from + span}
}

// MedianLatency returns the median travel time of a segment, or a guess if there are none.
func MedianLatency(t *traces.Trace) time.Duration {
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

// tickRoom is the minimum distance of two ticks in pixels.
const tickRoom = 96

// tick is a labelled place on the time axis.
type tick struct {
	at   time.Duration
	text string
}

// ticks returns the ticks of a window that is drawn pixels wide: at multiples of 1, 2 or 5 times a power of ten. The
// script of the page does the same; see ticks in view.js.
func ticks(w Window, pixels float64) []tick {
	step, decimals := TickStep(w, pixels)
	var all []tick
	first := (max(0, w.From) + step - 1) / step * step
	for at := first; at <= w.To && len(all) < 100; at += step {
		all = append(all, tick{at, traces.Seconds(at, decimals)})
	}
	return all
}

// TickStep returns the time between two ticks, and the number of decimals of a second that distinguish them.
func TickStep(w Window, pixels float64) (step time.Duration, decimals int) {
	least := float64(w.Span()) * tickRoom / pixels
	step, decimals = 1, 9
	for i := 0; float64(step) < least && i < 54; i++ {
		// 1, 2, 5, 10: what comes after 2 is two and a half times as much.
		if i%3 == 1 {
			step = step / 2 * 5
		} else {
			step *= 2
		}
		if i%3 == 2 && decimals > 0 {
			decimals--
		}
	}
	return step, decimals
}
