package story

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// FirstEvent is the first event that is seen to differ: its number, its time, and the event of each run, nil for a run
// that ends before. Number is 0 if no event that both traces have differs.
type FirstEvent struct {
	Number int64
	at     time.Duration
	a, b   *sim.Event
	// alike is the last earlier event that both traces have, nil if there is none, and compared is the number of these.
	alike    *sim.Event
	compared int
	// unknown are the earlier gaps (all gaps, if no event differs) in which events cannot be compared because a trace leaves
	// them out. The runs are the same up to event apart, at the time apartAt; apart is 0 if nothing is left out and nothing
	// differs.
	unknown []traces.Gap
	apart   int64
	apartAt time.Duration
}

// differingEvent finds the first event that differs between the runs, as far as both traces have the events.
func differingEvent(a, b *traces.Trace) (first FirstEvent) {
	first.find(a, b)
	first.unknown = gapsBefore(slices.Concat(a.Gaps, b.Gaps), first.Number)
	first.apart, first.apartAt = first.Number, first.at
	if len(first.unknown) > 0 {
		first.apart = first.unknown[0].From
		first.apartAt = min(momentBefore(a, first.apart), momentBefore(b, first.apart))
	}
	return first
}

// find walks both traces up to the first event that differs. A number that only one of them has is skipped, unless it is
// after the end of the other run.
func (f *FirstEvent) find(one, two *traces.Trace) {
	a, b := one.Events, two.Events
	i, k := 0, 0
	for i < len(a) && k < len(b) {
		switch {
		case a[i].Seq < b[k].Seq:
			i++
			continue
		case a[i].Seq > b[k].Seq:
			k++
			continue
		case !sameEvent(&a[i], &b[k]):
			f.Number, f.at, f.a, f.b = a[i].Seq, min(a[i].At, b[k].At), &a[i], &b[k]
			return
		}
		f.alike, f.compared = &a[i], f.compared+1
		i, k = i+1, k+1
	}
	rest := func(e sim.Event, gaps []traces.Gap) bool { return !leavesOut(gaps, e.Seq) }
	if n := slices.IndexFunc(a[i:], func(e sim.Event) bool { return rest(e, two.Gaps) }); n >= 0 {
		f.a = &a[i+n]
		f.Number, f.at = f.a.Seq, f.a.At
	} else if n := slices.IndexFunc(b[k:], func(e sim.Event) bool { return rest(e, one.Gaps) }); n >= 0 {
		f.b = &b[k+n]
		f.Number, f.at = f.b.Seq, f.b.At
	}
}

// leavesOut reports whether a number is in one of the gaps of a trace, which are in order.
func leavesOut(gaps []traces.Gap, seq int64) bool {
	i := sort.Search(len(gaps), func(i int) bool { return gaps[i].To >= seq })
	return i < len(gaps) && gaps[i].From <= seq
}

// gapsBefore returns the union of the gaps, up to an event, or all for 0.
func gapsBefore(gaps []traces.Gap, event int64) (all []traces.Gap) {
	slices.SortFunc(gaps, func(a, b traces.Gap) int { return cmp.Compare(a.From, b.From) })
	for _, g := range gaps {
		if event != 0 {
			g.To = min(g.To, event-1)
		}
		switch n := len(all); {
		case g.From > g.To:
		case n > 0 && g.From <= all[n-1].To+1:
			all[n-1].To = max(all[n-1].To, g.To)
		default:
			all = append(all, g)
		}
	}
	return all
}

// momentBefore returns the time of the trace's last event before a number.
func momentBefore(t *traces.Trace, seq int64) time.Duration {
	i := sort.Search(len(t.Events), func(i int) bool { return t.Events[i].Seq >= seq })
	if i == 0 {
		return 0
	}
	return t.Events[i-1].At
}

// sameEvent reports whether two events are the same, by whichever decision.
func sameEvent(a, b *sim.Event) bool {
	one, two := *a, *b
	one.Decision, two.Decision = "", ""
	return reflect.DeepEqual(one, two)
}

// incomparable describes the events that cannot be compared; it is empty if all can be.
func (f *FirstEvent) incomparable() string {
	const most = 4
	var list []string
	for i, g := range f.unknown {
		if n := len(f.unknown); i == most-1 && n > most {
			last := f.unknown[n-1].To
			list = append(list, fmt.Sprintf("%d stretches more up to %s", n-i, wording.Grouped(last)))
			break
		}
		one := wording.Grouped(g.From)
		if g.To > g.From {
			one += " to " + wording.Grouped(g.To)
		}
		list = append(list, one)
	}
	switch {
	case len(list) == 0:
		return ""
	case len(f.unknown) == 1 && f.unknown[0].From == f.unknown[0].To:
		return "Event " + list[0] + " is not comparable: a trace leaves it out."
	}
	return "Events " + wording.And(list) + " are not comparable: a trace leaves them out."
}

// hides reports whether a run may also have a step that it does not show: the trace leaves out the event, and both
// histories have the same at that event.
func (s *Side) hides(step *Step, other *Side) bool {
	return leavesOut(s.Trace.Gaps, step.Seq) && !other.InHistory(step.Seq)
}

// InHistory reports whether the history, which no trace cuts, has something at an event.
func (s *Side) InHistory(seq int64) bool {
	h := &s.Trace.History
	for i := range h.Operations {
		if o := &h.Operations[i]; o.Call.Seq == seq || o.Return.Seq == seq {
			return true
		}
	}
	for i := range h.Observations {
		if h.Observations[i].Seq == seq {
			return true
		}
	}
	return false
}
