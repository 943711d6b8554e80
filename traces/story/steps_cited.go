package story

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// This file makes sure that a story has the steps that its verdict is about: those of each operation and each observation
// that the verdict names, and of a crash that ended a hold of one of these acquisitions. They are decisive, whatever their
// weight.

// citeSteps makes the steps of the operations and observations that the verdict names decisive, and adds missing ones.
func (s *chooser) citeSteps(all []candidate) []candidate {
	if s.Verdict == nil || s.Verdict.Status != model.Violated {
		return all
	}
	until := max(s.Verdict.From.Seq, s.Verdict.To.Seq)
	if until == 0 {
		until = s.Trace.LastSeq()
	}
	for i := range s.Trace.History.Observations {
		o := &s.Trace.History.Observations[i]
		switch {
		case o.Seq > until:
		case s.cited(o.Seq):
			moved := o.Kind == model.Assigned && decide(all, o.Seq+1) // the store's note follows it
			if !decide(all, o.Seq) && !moved && !s.impliedBy(all, o) && !s.sentLate(all, o) && o.Note == nil {
				all = append(all, step(o.Stamp, o.Node, recordSteps{s.Plot}.citedText(o), decisive))
			}
		case o.Kind == model.Crashed && s.endsHold(o):
			decide(all, o.Seq)
		}
	}
	for _, id := range s.Verdict.Operations {
		if o := s.Trace.History.Operation(id); o != nil {
			ends := o.Return
			if !ends.Happened() || ends.Seq > until {
				ends = o.Call
			}
			decide(all, ends.Seq)
			if o.Cancelled.Seq <= until {
				decide(all, o.Cancelled.Seq)
			}
		}
	}
	return all
}

// impliedBy reports whether the step of an operation implies an observation, and makes that step decisive: an
// acquire that returned at once names the record that it was granted, and a release has removed its own.
func (s *chooser) impliedBy(all []candidate, o *model.Observation) bool {
	op := s.Trace.History.Operation(o.By.Op)
	if op == nil || !op.Return.Happened() || op.Return.At-o.At >= slow || !s.IsLockKey(o.Key) {
		return false
	}
	switch grants := s.grants[op.ID]; {
	case op.Kind == model.Acquire && op.Result == model.OK && len(grants) > 0 && grants[0].From.Seq == o.Seq:
	case op.Kind == model.Release && (o.Kind == model.RecordDeleted || emptied(s.Trace, o)):
	default:
		return false
	}
	return decide(all, op.Return.Seq)
}

// sentLate reports whether the step of a late segment shows its delay, and makes that step decisive. A server sends
// its answer a moment after the delay was observed.
func (s *chooser) sentLate(all []candidate, o *model.Observation) bool {
	const slack = 50 * time.Millisecond // the ordinary latency
	for i := s.IndexOf(o.Seq); i < len(s.Trace.Events) && o.Kind == model.Delayed; i++ {
		e := &s.Trace.Events[i]
		longer := e.At - e.Sent - o.For
		if e.Late && e.Peer == o.Node && o.At <= e.Sent && e.Sent < o.At+slack && 0 <= longer && longer < slack && decide(all, s.sentSeq(e)) {
			return true
		}
	}
	return false
}

// decide makes the steps of an event decisive, and reports whether there are any.
func decide(all []candidate, seq int64) (found bool) {
	for i := range all {
		if all[i].Seq == seq && seq != 0 {
			all[i].weight, found = decisive, true
		}
	}
	return found
}

// endsHold reports whether a crash ended the claim of one of the acquisitions.
func (s *chooser) endsHold(crash *model.Observation) bool {
	return slices.ContainsFunc(s.Claims, func(c Claim) bool {
		return c.Acquire.Client == crash.Node && s.Concerns(c.Acquire.ID) && c.To.Seq == crash.Seq
	})
}
