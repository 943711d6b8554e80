package story

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// recordSteps finds the steps of records.
type recordSteps struct{ plot *Plot }

// keySteps returns the steps of the lock's key, except those that the lock's own operations already show.
func (s recordSteps) keySteps(o *model.Observation) []candidate {
	if !s.plot.IsLockKey(o.Key) || !s.plot.Concerns(o.Owner.Op) && !s.plot.Concerns(o.OldOwner.Op) && !s.plot.Concerns(o.By.Op) {
		return nil
	}
	switch {
	case o.Kind == model.RecordDropped:
		text := fmt.Sprintf("drops %s: the new %s does not have it", s.plot.owned(o.Node, o.Owner, ""), s.plot.TermsAt(o.Node).Serving)
		if o.Authority != "" {
			text = fmt.Sprintf("has lost %s in the restart", s.plot.owned(o.Node, o.Owner, ""))
		}
		return []candidate{step(o.Stamp, o.Node, text, major-1)}
	case o.Authority == "":
		return nil // a follower repeats what the serving node did
	case o.Kind == model.RecordExpired:
		return []candidate{step(o.Stamp, o.Node, s.expiryText(o), major-1)}
	case o.Kind == model.RecordDeleted || emptied(s.plot.Trace, o):
		return s.deletionSteps(o)
	case o.Kind == model.RecordChanged && AcquisitionOf(s.plot.Trace, o.OldOwner.Op) != AcquisitionOf(s.plot.Trace, o.Owner.Op):
		if before, _ := s.plot.neighbours(o); before != nil && emptied(s.plot.Trace, before) {
			return nil // like a record that is created
		}
		text := fmt.Sprintf("replaces %s value of the %s by %s (%s)",
			whose(o.OldOwner, ""), s.plot.TermsAt(o.Node).Record, whose(o.Owner, ""), RecordEntry(o))
		if o.OldOwner.Client == "" && o.Owner.Client != "" { // it was there from the start
			text = fmt.Sprintf("changes the %s for %s (%s)", s.plot.TermsAt(o.Node).Record, wording.Printable(o.Owner.Client), RecordEntry(o))
		}
		replaced := step(o.Stamp, o.Node, text, helpful)
		c := s.plot.ClaimBy(AcquisitionOf(s.plot.Trace, o.OldOwner.Op), o.Seq)
		replaced.harm = c != nil && c.Covers(o.Seq) && s.plot.Broken.Subject != model.LateAccess
		return []candidate{replaced}
	case o.Kind == model.RecordChanged:
		if text, weight := s.endlessText(o); text != "" {
			return []candidate{step(o.Stamp, o.Node, text, weight)}
		}
	}
	return nil
}

// recordSteps returns the steps of records that a program's processes write outside of operations on a lock.
func (s recordSteps) recordSteps(o *model.Observation) []candidate {
	lost := o.Kind == model.RecordDropped || o.Kind == model.RecordExpired
	if !s.plot.IsProgram() || !o.Kind.OfRecord() || o.Authority == "" && o.Kind != model.RecordDropped {
		return nil
	}
	if op := s.plot.Trace.History.Operation(o.By.Op); op != nil || s.plot.Concerns(o.Owner.Op) {
		return nil // the steps of the lock have it
	}
	weight, by := minor+1, o.By.Client
	if o.Session != "" {
		weight = minor - 1 // such as the lock of a row
	}
	if lost {
		weight, by = major-1, o.Owner.Client
	}
	if !slices.Contains(s.plot.Clients, by) {
		return nil
	}
	text := s.plot.didText(o)
	switch {
	case lost:
		text += ", of " + by
	default:
		text += " for " + by
	}
	return []candidate{step(o.Stamp, o.Node, text, weight)}
}

// expiryText describes an expiry for the owner of the key.
func (s recordSteps) expiryText(o *model.Observation) string {
	owner := wording.Printable(o.Owner.Client)
	if owner == "" {
		return "the " + s.plot.TermsAt(o.Node).Record + " expires"
	}
	text := fmt.Sprintf("the %s expires: %s's lease is over", s.plot.TermsAt(o.Node).Record, owner)
	if o.Session != "" {
		with := ", and its " + s.plot.TermsAt(o.Node).Record + " with it"
		if o.Broken {
			return s.unnoticed(o, fmt.Sprintf("loses %s's %s, which the network broke%s", owner, s.plot.TermsAt(o.Node).Session, with))
		}
		if x := s.plot.inLane(o.Session); x != nil {
			return s.plot.endText(x, with)
		}
		text = fmt.Sprintf("%s's %s expires%s", owner, s.plot.TermsAt(o.Node).Session, with)
	}
	return s.unnoticed(o, text)
}

// unnoticed adds what the owner of an ended record does not know.
func (s recordSteps) unnoticed(o *model.Observation, text string) string {
	owner := wording.Printable(o.Owner.Client)
	c := s.plot.ClaimBy(AcquisitionOf(s.plot.Trace, o.Owner.Op), o.Seq)
	switch {
	case c == nil:
		return text
	case c.Covers(o.Seq) && s.plot.pausedAt(o.Owner.Client, o.Seq):
		return text + ", but " + owner + " is paused and does not know"
	case c.Covers(o.Seq):
		return text + ", but " + owner + " does not know"
	case c.From.Seq > o.Seq:
		return text + " before " + owner + " hears that it has the lock"
	}
	return text
}

// deletionSteps returns the steps of a removed or emptied key, unless a release did that to its own key at once.
func (s recordSteps) deletionSteps(o *model.Observation) []candidate {
	was, _ := removes(s.plot.Trace, o)
	owner, by := AcquisitionOf(s.plot.Trace, was.Op), AcquisitionOf(s.plot.Trace, o.By.Op)
	actor, verb, after := wording.Printable(o.By.Client), "removes", ""
	if o.Kind != model.RecordDeleted {
		verb, after = "empties", ": it has no holder"
	}
	if owner == by && owner != 0 {
		op := s.plot.Trace.History.Operation(o.By.Op)
		if op.Return.Happened() && op.Return.Seq > o.Seq && op.Return.At-op.Call.At < slow {
			return nil
		}
		return []candidate{step(o.Stamp, o.Node, fmt.Sprintf("%s the %s for %s%s", verb, s.plot.TermsAt(o.Node).Record, actor, after), helpful)}
	}
	key := s.plot.owned(o.Node, was, o.By.Client)
	if by == 0 && o.By.Client == was.Client { // it is unknown for which of its acquisitions
		key = "its own " + s.plot.TermsAt(o.Node).Record
	}
	op := s.plot.Trace.History.Operation(o.By.Op)
	text := fmt.Sprintf("%s %s %s (%s)%s", actor, verb, key, RecordEntry(o), after)
	switch {
	case actor == "":
		text = fmt.Sprintf("%s is removed", s.plot.owned(o.Node, was, ""))
	case op != nil && op.Kind == model.Release:
		text = fmt.Sprintf("%s's release %s %s (%s)%s", actor, verb, key, RecordEntry(o), after)
	}
	c := s.plot.ClaimBy(owner, o.Seq)
	if c != nil && c.Covers(o.Seq) {
		text += ", while " + wording.Printable(was.Client) + " believes that it holds the lock"
	}
	removed := step(o.Stamp, o.Node, text, major+1)
	removed.harm = true
	return []candidate{removed}
}

// citedText describes a change of a record that no other step shows, with its author if that is not the owner.
func (s recordSteps) citedText(o *model.Observation) string {
	if o.Kind == model.Delayed {
		return s.plot.delayText(o)
	}
	text := s.plot.didText(o)
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

// endlessText describes a change that removed the expiry on which a record's owner relied, or how the last change before
// the record expired moved it; empty for any other change.
func (s recordSteps) endlessText(o *model.Observation) (text string, weight int) {
	before, after := s.plot.neighbours(o)
	if before == nil || before.Kind != model.RecordCreated && before.Kind != model.RecordChanged {
		return "", 0
	}
	record, owner := s.plot.TermsAt(o.Node).Record, wording.Printable(o.Owner.Client)
	ends := o.Session != "" || o.ExpiresAt != 0
	switch {
	case !ends && before.Session != "":
		return fmt.Sprintf("changes the %s for %s (%s), without a %s: it no longer ends with one", record, owner, RecordEntry(o), s.plot.TermsAt(o.Node).Session), major
	case !ends && before.ExpiresAt != 0:
		return fmt.Sprintf("changes the %s for %s (%s), without an expiry", record, owner, RecordEntry(o)), major
	case o.ExpiresAt != before.ExpiresAt && o.ExpiresAt != 0 && after != nil && after.Kind == model.RecordExpired:
		verb := "extends"
		switch {
		case before.ExpiresAt == 0: // it had no end, or the node did not show one
			return fmt.Sprintf("sets the end of %s's %s to %s, for the last time", owner, record, traces.Moment(o.ExpiresAt)), helpful
		case o.ExpiresAt < before.ExpiresAt:
			verb = "shortens"
		}
		return fmt.Sprintf("%s %s's %s from %s to %s, for the last time", verb, owner, record, traces.Moment(before.ExpiresAt), traces.Moment(o.ExpiresAt)), helpful
	}
	return "", 0
}
