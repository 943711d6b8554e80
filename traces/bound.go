package traces

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim"
)

const (
	// MaxEvents is the most events that a trace file has. [Trace.Bounded] says which.
	MaxEvents = 20_000
	// maxMarked is how many of them may be there because deviations and verdicts name them.
	maxMarked = 1000
)

// A Gap is a stretch of events that a trace leaves out, by the numbers of the first and
// the last of them.
type Gap struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Bounded is the trace with at most [MaxEvents] events. Of a longer run it keeps the events
// around the beginning and the end of the violation, and those that deviations and verdicts
// name. The field Gaps says which are missing. The tape and the history stay whole, so that
// the run can be replayed and judged. A shorter trace is returned as it is.
func (t *Trace) Bounded() *Trace {
	if len(t.Events) <= MaxEvents {
		return t
	}
	keep := t.around(MaxEvents - maxMarked)
	for _, seq := range t.marked() {
		if i, ok := t.place(seq); ok {
			keep[i] = true
		}
	}
	short := *t
	short.Events = nil
	var gaps []Gap
	for i := range t.Events {
		seq, n := t.Events[i].Seq, len(gaps)
		switch {
		case keep[i]:
			short.Events = append(short.Events, t.Events[i])
		case n > 0 && gaps[n-1].To == seq-1:
			gaps[n-1].To = seq
		default:
			gaps = append(gaps, Gap{seq, seq})
		}
	}
	short.Remarks = about(t.Remarks, &short)
	short.Gaps = slices.Concat(gaps, t.Gaps)
	slices.SortFunc(short.Gaps, func(a, b Gap) int { return cmp.Compare(a.From, b.From) })
	return &short
}

// around says of each event whether it is near the violation: three quarters of so many
// events before it, the rest behind its beginning. If it lasts for long, half of them are
// about its beginning, and half about its end. Without a violation they are those of the
// end of the run, of an experiment those of its picture.
func (t *Trace) around(most int) []bool {
	keep := make([]bool, len(t.Events))
	last := t.Events[len(t.Events)-1].Seq
	from, to := last, last
	switch v := t.Verdict(); {
	case t.Experiment != nil:
		at := slices.IndexFunc(t.Events, func(e sim.Event) bool { return e.At >= t.Experiment.From })
		for i := max(at, 0); i < min(max(at, 0)+most, len(keep)); i++ {
			keep[i] = true
		}
		return keep
	case v != nil && v.From.Happened():
		from = v.From.Seq
		to = max(from, v.To.Seq)
	}
	begin, _ := t.place(from)
	end, _ := t.place(to)
	ends, each := []int{begin, end}, most/2
	if end-begin < most/4 {
		ends, each = ends[:1], most // a stretch of events has both
	}
	for _, at := range ends {
		first := max(0, min(at-each*3/4, len(keep)-each))
		for i := first; i < min(first+each, len(keep)); i++ {
			keep[i] = true
		}
	}
	return keep
}

// marked are the events that the verdict on the trace's property names, and then those
// that the deviations name, as far as they are not too many.
func (t *Trace) marked() (list []int64) {
	if v := t.Verdict(); v != nil {
		list = append(list, v.Observations...)
		for _, id := range v.Operations {
			if o := t.History.Operation(id); o != nil {
				list = append(list, o.Call.Seq, o.Return.Seq)
			}
		}
	}
	if t.Attribution != nil {
		for _, d := range t.Attribution.Deviations {
			list = append(list, d.Seq)
		}
	}
	return list[:min(len(list), maxMarked)]
}

// place is where the event with a number is, or would be.
func (t *Trace) place(seq int64) (index int, found bool) {
	return slices.BinarySearchFunc(t.Events, seq, func(e sim.Event, seq int64) int { return cmp.Compare(e.Seq, seq) })
}

// LeftOut says how many of the run's events the trace leaves out and which, in a sentence;
// it is empty if it has all.
func (t *Trace) LeftOut() string {
	if len(t.Gaps) == 0 {
		return ""
	}
	missing := int64(0)
	var where []string
	for _, g := range t.Gaps {
		missing += g.To - g.From + 1
		one := wording.Grouped(g.From)
		if g.To > g.From {
			one += " to " + wording.Grouped(g.To)
		}
		where = append(where, one)
	}
	const told = 4
	if n := len(where); n > told {
		where = append(where[:told-1], fmt.Sprintf("and %d stretches more up to %s", n-told+1, wording.Grouped(t.Gaps[n-1].To)))
	}
	all := max(t.LastSeq(), missing)
	return fmt.Sprintf("The trace leaves out %s of %s: %s. Its decisions and its history are whole.",
		wording.Grouped(missing), wording.GroupedCount(int(all), "event"), strings.Join(where, ", "))
}

// checkGaps checks that the gaps are parts of the run, in order, of which the trace has no
// event.
func (t *Trace) checkGaps() error {
	last := int64(0)
	for i, g := range t.Gaps {
		switch {
		case g.From <= last || g.To < g.From || g.To > t.LastSeq():
			return fmt.Errorf("gaps[%d]: events %d to %d are no stretch of the run behind event %d", i, g.From, g.To, last)
		case t.between(g):
			return fmt.Errorf("gaps[%d]: the trace has events of the stretch from %d to %d, which it should leave out", i, g.From, g.To)
		}
		last = g.To
	}
	return nil
}

// between reports whether the trace has an event of a stretch.
func (t *Trace) between(g Gap) bool {
	i, _ := t.place(g.From)
	return i < len(t.Events) && t.Events[i].Seq <= g.To
}
