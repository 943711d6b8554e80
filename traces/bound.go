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
	// MaxEvents is the maximum number of events in a trace file. [Trace.Bounded] chooses them.
	MaxEvents = 20_000
	// maxMarked is how many of them may be kept because deviations and verdicts name them.
	maxMarked = 1000
)

// A Gap is a range of events that a trace leaves out, by the numbers of its first and last event.
type Gap struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Bounded returns the trace with at most [MaxEvents] events. Of a longer run it keeps the events around the beginning and
// the end of the violation, and those that deviations and verdicts name. The field Gaps lists the missing ones. The tape
// and the history stay whole, so that the run can be replayed and judged. A shorter trace is returned unchanged.
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

// around reports for each event whether it is one of the most events nearest to the violation: three quarters before its
// beginning, the rest after it. If the violation is long, half of them are around its beginning and half around its end.
// Without a violation they are the last events of the run; for an experiment, those of its picture.
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
		ends, each = ends[:1], most // one range of events contains both ends
	}
	for _, at := range ends {
		first := max(0, min(at-each*3/4, len(keep)-each))
		for i := first; i < min(first+each, len(keep)); i++ {
			keep[i] = true
		}
	}
	return keep
}

// marked returns the events that the verdict on the trace's property names, and then those that the deviations name, up to
// a limit.
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

// place returns the index of the event with a number, or the index at which it would be.
func (t *Trace) place(seq int64) (index int, found bool) {
	return slices.BinarySearchFunc(t.Events, seq, func(e sim.Event, seq int64) int { return cmp.Compare(e.Seq, seq) })
}

// LeftOut returns a sentence for the number and the ranges of the run's events that the trace leaves out; "" if it has
// all.
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

// checkGaps checks that the gaps are ranges of the run, in order, and that the trace has no event of them.
func (t *Trace) checkGaps() error {
	last := int64(0)
	for i, g := range t.Gaps {
		switch {
		case g.From <= last || g.To < g.From || g.To > t.LastSeq():
			return fmt.Errorf("gaps[%d]: events %d to %d are not in the run, or not after event %d", i, g.From, g.To, last)
		case t.between(g):
			return fmt.Errorf("gaps[%d]: the trace has events from %d to %d, which the gap leaves out", i, g.From, g.To)
		}
		last = g.To
	}
	return nil
}

// between reports whether the trace has an event of a gap.
func (t *Trace) between(g Gap) bool {
	i, _ := t.place(g.From)
	return i < len(t.Events) && t.Events[i].Seq <= g.To
}
