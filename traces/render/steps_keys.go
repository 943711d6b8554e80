package render

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
)

// keySteps are the steps of what happened to the lock's key, but for what the lock's own
// operations show already.
func (s *story) keySteps(o *model.Observation) []candidate {
	if !s.isLockKey(o.Key) || !s.concerns(o.Owner.Op) && !s.concerns(o.OldOwner.Op) && !s.concerns(o.By.Op) {
		return nil
	}
	switch {
	case o.Kind == model.RecordDropped:
		text := fmt.Sprintf("drops %s: the new %s does not have it", s.owned(o.Node, o.Owner, ""), s.termsAt(o.Node).Serving)
		if o.Authority != "" {
			text = fmt.Sprintf("has lost %s in the restart", s.owned(o.Node, o.Owner, ""))
		}
		return []candidate{step(o.Stamp, o.Node, text, major-1)}
	case o.Authority == "":
		return nil // a follower repeats what the serving node did
	case o.Kind == model.RecordExpired:
		return []candidate{step(o.Stamp, o.Node, s.expiryText(o), major-1)}
	case o.Kind == model.RecordDeleted:
		return s.deletionSteps(o)
	case o.Kind == model.RecordChanged && acquisitionOf(s.t, o.OldOwner.Op) != acquisitionOf(s.t, o.Owner.Op):
		text := fmt.Sprintf("replaces %s value of the %s by %s (%s)",
			whose(o.OldOwner, ""), s.termsAt(o.Node).Record, whose(o.Owner, ""), recordEntry(o))
		if o.OldOwner.Client == "" && o.Owner.Client != "" { // it has been there from the start
			text = fmt.Sprintf("changes the %s for %s (%s)", s.termsAt(o.Node).Record, wording.Printable(o.Owner.Client), recordEntry(o))
		}
		replaced := step(o.Stamp, o.Node, text, helpful)
		c := s.claimBy(acquisitionOf(s.t, o.OldOwner.Op), o.Seq)
		replaced.harm = c != nil && c.covers(o.Seq) && s.broken.Subject != model.LateAccess
		return []candidate{replaced}
	case o.Kind == model.RecordChanged:
		if text, weight := s.endlessText(o); text != "" {
			return []candidate{step(o.Stamp, o.Node, text, weight)}
		}
	}
	return nil
}

// recordSteps are those of the records that a program's processes write, of which no operation on a
// lock tells.
func (s *story) recordSteps(o *model.Observation) []candidate {
	lost := o.Kind == model.RecordDropped || o.Kind == model.RecordExpired
	if !s.isProgram() || !o.Kind.OfRecord() || o.Authority == "" && o.Kind != model.RecordDropped {
		return nil
	}
	if op := s.t.History.Operation(o.By.Op); op != nil || s.concerns(o.Owner.Op) {
		return nil // the steps of the lock have it
	}
	weight, by := minor+1, o.By.Client
	if o.Session != "" {
		weight = minor - 1 // such as the lock of a row
	}
	if lost {
		weight, by = major-1, o.Owner.Client
	}
	if !slices.Contains(s.clients, by) {
		return nil
	}
	text := s.didText(o)
	switch {
	case lost:
		text += ", of " + by
	default:
		text += " for " + by
	}
	return []candidate{step(o.Stamp, o.Node, text, weight)}
}

// expiryText says what an expiry means for the one whose key it was.
func (s *story) expiryText(o *model.Observation) string {
	owner := wording.Printable(o.Owner.Client)
	if owner == "" {
		return "the " + s.termsAt(o.Node).Record + " expires"
	}
	text := fmt.Sprintf("the %s expires: %s's lease is over", s.termsAt(o.Node).Record, owner)
	if o.Session != "" {
		with := ", and its " + s.termsAt(o.Node).Record + " with it"
		if o.Broken {
			return s.unnoticed(o, fmt.Sprintf("loses %s's %s, which the network broke%s", owner, s.termsAt(o.Node).Session, with))
		}
		if x := s.inLane(o.Session); x != nil {
			return s.endText(x, with)
		}
		text = fmt.Sprintf("%s's %s expires%s", owner, s.termsAt(o.Node).Session, with)
	}
	return s.unnoticed(o, text)
}

// unnoticed adds what the owner of a record that has ended does not know.
func (s *story) unnoticed(o *model.Observation, text string) string {
	owner := wording.Printable(o.Owner.Client)
	c := s.claimBy(acquisitionOf(s.t, o.Owner.Op), o.Seq)
	switch {
	case c == nil:
		return text
	case c.covers(o.Seq) && s.pausedAt(o.Owner.Client, o.Seq):
		return text + ", but " + owner + " is paused and does not know"
	case c.covers(o.Seq):
		return text + ", but " + owner + " does not know"
	case c.from.Seq > o.Seq:
		return text + " before " + owner + " hears that it has the lock"
	}
	return text
}

// deletionSteps are those of a removed key, unless a release removed its own key
// at once.
func (s *story) deletionSteps(o *model.Observation) []candidate {
	owner, by := acquisitionOf(s.t, o.Owner.Op), acquisitionOf(s.t, o.By.Op)
	actor := wording.Printable(o.By.Client)
	if owner == by && owner != 0 {
		op := s.t.History.Operation(o.By.Op)
		if op.Return.Happened() && op.Return.Seq > o.Seq && op.Return.At-op.Call.At < slow {
			return nil
		}
		return []candidate{step(o.Stamp, o.Node, fmt.Sprintf("removes the %s for %s", s.termsAt(o.Node).Record, actor), helpful)}
	}
	key := s.owned(o.Node, o.Owner, o.By.Client)
	if by == 0 && o.By.Client == o.Owner.Client { // for which of its acquisitions is not known
		key = "its own " + s.termsAt(o.Node).Record
	}
	op := s.t.History.Operation(o.By.Op)
	text := fmt.Sprintf("%s removes %s (%s)", actor, key, recordEntry(o))
	switch {
	case actor == "":
		text = fmt.Sprintf("%s is removed", s.owned(o.Node, o.Owner, ""))
	case op != nil && op.Kind == model.Release:
		text = fmt.Sprintf("%s's release removes %s (%s)", actor, key, recordEntry(o))
	}
	c := s.claimBy(owner, o.Seq)
	if c != nil && c.covers(o.Seq) {
		text += ", while " + wording.Printable(o.Owner.Client) + " believes that it holds the lock"
	}
	removed := step(o.Stamp, o.Node, text, major+1)
	removed.harm = true
	return []candidate{removed}
}
