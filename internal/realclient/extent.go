package realclient

import (
	"slices"
	"sort"
	"time"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// slack is the time by which a run lasts longer than in the trace if its verdict is about a duration: that may begin a
// little later.
const slack = time.Second

// Extent is the part of a trace that its violation needs: the events up to Seq.
type Extent struct {
	Seq int64 `json:"seq"`
	// At is the minimum duration of a real run.
	At time.Duration `json:"atNanos"`
}

// extentOf returns the part of the trace that the violation needs: the violation itself, the returns of the acquisitions
// that it names, and whatever the checker needs to judge the property at all, such as a record of the lock. Of a violation
// that lasts until the end of the trace, such as a wait in vain, it needs only as much as the checker needs to find it:
// two minutes of waiting only up to the bound.
func extentOf(t *traces.Trace, v *model.Verdict, o checker.Options) Extent {
	end := t.History.End
	if v.To.Seq == 0 || v.To.Seq >= end.Seq {
		if e := firstViolated(t, v, o); e != nil {
			return *e
		}
		return Extent{end.Seq, end.At}
	}
	until := Extent{v.To.Seq, 0}
	for _, id := range v.Operations {
		if op := t.History.Operation(id); op != nil && op.Kind == model.Acquire && op.Result == model.OK {
			until.Seq = max(until.Seq, op.Return.Seq)
		}
	}
	if e := firstViolated(t, v, o); e != nil && e.Seq > until.Seq {
		until.Seq = e.Seq
	}
	return until
}

// firstViolated returns the earliest event, or the earliest time after the last one, after which the checker finds the trace's
// violation; nil if it does not find it in the trace.
func firstViolated(t *traces.Trace, v *model.Verdict, o checker.Options) *Extent {
	found := func(seq int64, at time.Duration) bool {
		h := before(&t.History, model.Stamp{Seq: seq, At: at})
		got := checker.Check(&h, o, v.Property)[0]
		return got.Status == model.Violated && got.Limit == v.Limit && got.Cause == v.Cause
	}
	from, _ := slices.BinarySearchFunc(t.Events, v.From.Seq, func(e sim.Event, seq int64) int { return int(e.Seq - seq) })
	at := from + sort.Search(len(t.Events)-from, func(i int) bool { return found(t.Events[from+i].Seq, t.Events[from+i].At) })
	if at < len(t.Events) {
		e := &t.Events[at]
		return &Extent{e.Seq, e.At + slack}
	}
	return idleUntil(t, found)
}

// idleUntil returns the earliest time after the last event at which a violation is found because nothing more happens; nil
// if there is none before the end.
func idleUntil(t *traces.Trace, found func(seq int64, at time.Duration) bool) *Extent {
	if len(t.Events) == 0 || t.History.End.At > longest {
		return nil
	}
	last := &t.Events[len(t.Events)-1]
	idle := t.History.End.At - last.At
	steps := sort.Search(int(idle/idling), func(i int) bool { return found(last.Seq, last.At+time.Duration(i+1)*idling) })
	if end := last.At + time.Duration(steps+1)*idling; end < t.History.End.At {
		return &Extent{last.Seq, end + slack}
	}
	return nil
}

// idling is the step of that search, and longest the maximum length of a trace for it: a trace may come from anywhere.
const (
	idling  = 100 * time.Millisecond
	longest = 24 * time.Hour
)

// before returns the history as if it ended at an event.
func before(h *model.History, end model.Stamp) model.History {
	cut := *h
	cut.End, cut.Healed, cut.Cut = end, 0, ""
	never := func(s *model.Stamp) bool {
		if s.Seq <= end.Seq {
			return false
		}
		*s = model.Stamp{}
		return true
	}
	cut.Operations = nil
	for _, op := range h.Operations {
		if op.Call.Seq > end.Seq {
			break
		}
		if never(&op.Return) {
			op.Result, op.Err, op.NotHeld, op.Fenced, op.Token, op.Leased, op.Until, op.Notifies = model.Unknown, "", false, false, 0, false, 0, false
		}
		if never(&op.Cancelled) || op.Idle > end.At-op.Cancelled.At {
			op.Idle = max(0, end.At-op.Cancelled.At)
		}
		never(&op.Lost)
		cut.Operations = append(cut.Operations, op)
	}
	cut.Observations = nil
	for _, o := range h.Observations {
		if o.Seq > end.Seq {
			break
		}
		cut.Observations = append(cut.Observations, o)
		cut.Healed = max(cut.Healed, HealedBy(&o))
	}
	cut.Calls = nil
	for _, c := range h.Calls {
		if c.Call > end.Seq {
			continue
		}
		if c.Return > end.Seq {
			c.Return, c.Outcome, c.Until, c.Fenced, c.Token = 0, model.Unknown, 0, false, 0
		}
		cut.Calls = append(cut.Calls, c)
	}
	return cut
}

// HealedBy returns when the fault of an observation is over, 0 if it is no fault.
func HealedBy(o *model.Observation) time.Duration {
	switch o.Kind {
	case model.Paused, model.Resumed, model.Crashed, model.Returned, model.Promoted, model.Delayed, model.Parted, model.United, model.ReplyLost, model.ClockJumped:
		return o.At + max(o.For, o.Ahead, -o.Ahead) // a clock that has jumped back by some time repeats it
	}
	return 0
}
