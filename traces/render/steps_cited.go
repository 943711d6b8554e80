package render

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// This file makes sure that a story has the steps that its verdict is about: of each operation and each
// observation that the verdict names, and of a crash that ended a hold of one of these acquisitions. They
// are decisive, whatever they weigh otherwise.

// citeSteps makes the steps of what the verdict names decisive, and adds one for what has none.
func (s *story) citeSteps(all []candidate) []candidate {
	if s.verdict == nil || s.verdict.Status != model.Violated {
		return all
	}
	until := max(s.verdict.From.Seq, s.verdict.To.Seq)
	if until == 0 {
		until = s.t.LastSeq()
	}
	for i := range s.t.History.Observations {
		o := &s.t.History.Observations[i]
		switch {
		case o.Seq > until:
		case s.cited(o.Seq):
			if !decide(all, o.Seq) && !s.impliedBy(all, o) && !s.sentLate(all, o) && o.Note == nil {
				all = append(all, step(o.Stamp, o.Node, s.citedText(o), decisive))
			}
		case o.Kind == model.Crashed && s.endsHold(o):
			decide(all, o.Seq)
		}
	}
	for _, id := range s.verdict.Operations {
		if o := s.t.History.Operation(id); o != nil {
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

// impliedBy reports whether the step of an operation tells of an observation, and makes that decisive: an
// acquire that returned at once names the record that it was granted, and a release has removed its own.
func (s *story) impliedBy(all []candidate, o *model.Observation) bool {
	op := s.t.History.Operation(o.By.Op)
	if op == nil || !op.Return.Happened() || op.Return.At-o.At >= slow || !s.isLockKey(o.Key) {
		return false
	}
	switch grants := s.grants[op.ID]; {
	case op.Kind == model.Acquire && op.Result == model.OK && len(grants) > 0 && grants[0].from.Seq == o.Seq:
	case op.Kind == model.Release && o.Kind == model.RecordDeleted:
	default:
		return false
	}
	return decide(all, op.Return.Seq)
}

// sentLate reports whether the step of a late segment tells of its delay, and makes that decisive. A server sends
// its answer a moment after the delay was observed.
func (s *story) sentLate(all []candidate, o *model.Observation) bool {
	const slack = 50 * time.Millisecond // of the ordinary latency
	for i := s.indexOf(o.Seq); i < len(s.t.Events) && o.Kind == model.Delayed; i++ {
		e := &s.t.Events[i]
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

// citedText says what happened to a record, of which no other step tells: for whom, if it was not its
// owner's doing.
func (s *story) citedText(o *model.Observation) string {
	if o.Kind == model.Delayed {
		return s.delayText(o)
	}
	text := s.didText(o)
	who := o.By.Client
	if who == "" || o.Kind == model.RecordExpired || o.Kind == model.RecordDropped {
		who = o.Owner.Client
		if who != "" && o.Kind.OfRecord() {
			return text + ", of " + wording.Printable(who)
		}
	}
	if who != "" && who != o.Node {
		text += " for " + wording.Printable(who)
	}
	return text
}

// endsHold reports whether a crash ended the claim of one of the acquisitions.
func (s *story) endsHold(crash *model.Observation) bool {
	return slices.ContainsFunc(s.claims, func(c claim) bool {
		return c.acquire.Client == crash.Node && s.concerns(c.acquire.ID) && c.to.Seq == crash.Seq
	})
}

// endlessText says that a change has taken the end of a record away, which its owner relied on, or how the
// last change before the record expired has moved it; empty for any other change.
func (s *story) endlessText(o *model.Observation) (text string, weight int) {
	before, after := s.neighbours(o)
	if before == nil || before.Kind != model.RecordCreated && before.Kind != model.RecordChanged {
		return "", 0
	}
	record, owner := s.termsAt(o.Node).Record, wording.Printable(o.Owner.Client)
	ends := o.Session != "" || o.ExpiresAt != 0
	switch {
	case !ends && before.Session != "":
		return fmt.Sprintf("changes the %s for %s (%s), without a %s: it no longer ends with one", record, owner, recordEntry(o), s.termsAt(o.Node).Session), major
	case !ends && before.ExpiresAt != 0:
		return fmt.Sprintf("changes the %s for %s (%s), without an expiry", record, owner, recordEntry(o)), major
	case o.ExpiresAt != before.ExpiresAt && o.ExpiresAt != 0 && after != nil && after.Kind == model.RecordExpired:
		verb := "extends"
		if o.ExpiresAt < before.ExpiresAt {
			verb = "shortens"
		}
		return fmt.Sprintf("%s %s's %s from %s to %s, for the last time", verb, owner, record, traces.Moment(before.ExpiresAt), traces.Moment(o.ExpiresAt)), helpful
	}
	return "", 0
}

// neighbours are the observations of a record before and after another one of it, at the same node.
func (s *story) neighbours(o *model.Observation) (before, after *model.Observation) {
	for i := range s.t.History.Observations {
		other := &s.t.History.Observations[i]
		switch {
		case other.Node != o.Node || other.Key != o.Key || !other.Kind.OfRecord():
		case other.Seq < o.Seq:
			before = other
		case other.Seq > o.Seq:
			return before, other
		}
	}
	return before, nil
}
