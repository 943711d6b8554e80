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

// tickRoom is how many pixels the time between two ticks takes at least.
const tickRoom = 96

// tick is a labelled place on the time axis.
type tick struct {
	at   time.Duration
	text string
}

// ticks are the ticks of a window drawn on so many pixels: at multiples of 1,
// 2 or 5 times a power of ten. The script of the page does the same; see
// ticks in view.js.
func ticks(w window, pixels float64) []tick {
	step, decimals := tickStep(w, pixels)
	var all []tick
	first := (max(0, w.from) + step - 1) / step * step
	for at := first; at <= w.to && len(all) < 100; at += step {
		all = append(all, tick{at, traces.Seconds(at, decimals)})
	}
	return all
}

// tickStep is the time between two ticks, and how many decimals of a second
// tell them apart.
func tickStep(w window, pixels float64) (step time.Duration, decimals int) {
	least := float64(w.span()) * tickRoom / pixels
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
