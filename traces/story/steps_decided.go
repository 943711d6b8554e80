package story

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// This file has the deciding steps: the answer by which an Acquire considered itself the holder of a lock that it did not
// have, and the grant to the actual holder. Without them a story would show that a client believes it has the lock, and
// not why.

// notGranted are the causes of claims that the store does not back.
var notGranted = []string{"never-granted", "granted-to-both", "not-established"}

// decidedSteps finds the steps that decided the verdict.
type decidedSteps struct{ plot *Plot }

// unbacked reports whether the violation is that a client considered itself the holder.
func (s decidedSteps) unbacked() bool {
	return s.plot.Verdict != nil && s.plot.Verdict.Status == model.Violated && slices.Contains(notGranted, s.plot.Verdict.Cause)
}

// decidedSteps returns, for each acquisition that considered itself the holder, the request whose answer made it so. The
// step of an acquisition that the store did not grant, and of an extension that the verdict names, cannot be left out.
func (s decidedSteps) decidedSteps() []candidate {
	var steps []candidate
	answered := func(o *model.Operation, weight int) {
		if request, answer := s.decision(o); answer != nil {
			text := fmt.Sprintf("answers %s's %s with %s", wording.Printable(o.Client), s.plot.PayloadOrDetail(request), s.plot.PayloadOrDetail(answer))
			at := model.Stamp{Seq: request.Seq, At: request.At} // when it was sent, if it was answered at once
			if answer.Sent-request.At >= slow {
				at = model.Stamp{Seq: answer.Seq, At: answer.At}
			}
			steps = append(steps, step(at, answer.Peer, text, weight))
		}
	}
	if v := s.plot.Verdict; v != nil && v.Status == model.Violated {
		for _, id := range v.Operations {
			if o := s.plot.Trace.History.Operation(id); o != nil && o.Kind == model.Extend && o.Return.Happened() {
				answered(o, decisive)
			}
		}
	}
	for _, id := range s.plot.Acquisitions {
		a, weight := s.plot.Trace.History.Operation(id), decisive
		if !s.unbacked() {
			weight = major
		}
		if a.Result != model.OK || !a.Return.Happened() || s.unbacked() && s.heldBy(id) || !s.unbacked() && !s.overwrites(id) {
			continue
		}
		answered(a, weight)
	}
	return steps
}

// heldBy reports whether the verdict names a record of an acquisition: for a claim that the store does not back, the
// record of the actual holder.
func (s decidedSteps) heldBy(acquisition int) bool {
	return slices.ContainsFunc(s.plot.Trace.History.Observations, func(o model.Observation) bool {
		return slices.Contains(s.plot.Verdict.Observations, o.Seq) && AcquisitionOf(s.plot.Trace, o.Owner.Op) == acquisition
	})
}

// overwrites reports whether the verdict names a write by which an Acquire overwrote another acquisition's record.
func (s decidedSteps) overwrites(acquisition int) bool {
	return s.plot.Verdict != nil && slices.ContainsFunc(s.plot.Trace.History.Observations, func(o model.Observation) bool {
		by := s.plot.Trace.History.Operation(o.By.Op)
		return o.Kind == model.RecordChanged && by != nil && by.ID == acquisition && o.OldOwner.Op != 0 &&
			AcquisitionOf(s.plot.Trace, o.OldOwner.Op) != acquisition && slices.Contains(s.plot.Verdict.Observations, o.Seq)
	})
}

// decision returns the last request of an acquisition that changed no record, and its answer: what the Acquire read before
// it returned, or before it wrote. Both are nil if it read nothing.
func (s decidedSteps) decision(a *model.Operation) (request, answer *sim.Event) {
	for i := s.plot.IndexOf(a.Call.Seq); i < len(s.plot.Trace.Events) && s.plot.Trace.Events[i].Seq < a.Return.Seq; i++ {
		e := &s.plot.Trace.Events[i]
		if e.Kind != sim.EventDeliver || e.Actor != a.Client {
			continue
		}
		r := s.plot.Requests.Answered(e)
		if r == nil || !slices.Contains(s.plot.Exchanges().by[r.Seq], a.ID) || s.plot.messageOf(r).Aside || s.plot.messageOf(e).Aside || s.wrote(a.ID, r.Seq, e.Seq) {
			continue
		}
		request, answer = r, e
	}
	return request, answer
}

// wrote reports whether an operation changed a record between two events.
func (s decidedSteps) wrote(op int, from, to int64) bool {
	return slices.ContainsFunc(s.plot.Trace.History.Observations, func(o model.Observation) bool {
		return from <= o.Seq && o.Seq <= to && o.By.Op == op && o.Kind.OfRecord()
	})
}

// keepHolders makes sure that the story shows the actual holder, if a client considered itself the holder: the steps with
// the records that acquisitions were granted, and those that they have the lock.
func (s decidedSteps) keepHolders(all []candidate) {
	if !s.unbacked() {
		return
	}
	for _, id := range s.plot.Acquisitions {
		a, grants := s.plot.Trace.History.Operation(id), s.plot.grants[id]
		for i := range all {
			c := &all[i]
			if c.Seq == a.Return.Seq && a.Result == model.OK || len(grants) > 0 && c.Seq == grants[0].From.Seq {
				c.weight = decisive
			}
		}
	}
}
