package render

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// acquireSteps are those of an acquisition: one, or two if the answer came long
// after the question or the grant.
func (s *story) acquireSteps(a *model.Operation) []candidate {
	var steps []candidate
	grants := s.grants[a.ID]
	waited := a.Return.At-a.Call.At >= slow
	if waited || !a.Return.Happened() {
		steps = append(steps, step(a.Call, a.Client, "asks for the lock", minor-1))
	}
	late := len(grants) > 0 && (!a.Return.Happened() || a.Result != model.OK || a.Return.At-grants[0].from.At >= slow)
	if late {
		g := grants[0]
		text := fmt.Sprintf("creates the %s for %s (%s)", s.termsAt(g.node).Record, wording.Printable(a.Client), s.keyText(grants, ""))
		if a.Return.Happened() && g.from.Seq > a.Return.Seq {
			text += fmt.Sprintf(", though %s has stopped waiting", wording.Printable(a.Client))
		}
		steps = append(steps, step(g.from, g.node, text, major-1))
	}
	steps = append(steps, cancelSteps(a)...)
	if a.Return.Happened() {
		answer := step(a.Return, a.Client, s.acquireText(a, grants, late), major)
		answer.since = a.Call.Seq
		steps = append(steps, answer)
	}
	return steps
}

// acquireText says what Acquire answered.
func (s *story) acquireText(a *model.Operation, grants []*presence, late bool) string {
	switch {
	case a.Result == model.Unknown:
		return "does not learn whether it has the lock" + because(a.Err)
	case a.Result == model.Failed:
		return "does not get the lock" + because(a.Err)
	}
	text := "acquires the lock"
	switch {
	case len(grants) > 0 && grants[0].session != "" && !s.hasKey(a.ID, a.Return.Seq, a.Return.Seq):
		text += ", though its " + s.termsAt(grants[0].node).Record + " is gone"
	case late:
		text = "hears that it has the lock"
	case len(grants) > 0:
		text += " (" + s.keyText(grants, a.Client) + ")"
	}
	if a.Fenced {
		text += fmt.Sprintf(" with token %d", a.Token)
		if before := s.tokenBefore(a); before != nil {
			text += fmt.Sprintf(", not higher than %s's %d before", wording.Printable(before.Client), before.Token)
		}
	}
	if others := s.believers(a.Return.Seq, a.Client); len(others) > 0 {
		text += ", while " + list(printables(others)) + " still " + wording.Form(len(others), "believes that it holds", "believe that they hold") + " it"
	}
	return text
}

// tokenBefore is the acquisition with the highest token among those that had
// returned before another one was called, if that token is not lower; or nil.
func (s *story) tokenBefore(a *model.Operation) *model.Operation {
	var highest *model.Operation
	for _, c := range s.claims {
		if b := c.acquire; b.Fenced && b.Return.Seq < a.Call.Seq && (highest == nil || b.Token > highest.Token) {
			highest = b
		}
	}
	if highest != nil && highest.Token >= a.Token {
		return highest
	}
	return nil
}

// keyText is the key that a grant wrote: "lock = 9f2c41…, expires in 2s". The sentence is
// about the speaker.
func (s *story) keyText(grants []*presence, speaker string) string {
	g := grants[0]
	text := recordEntry(g.began)
	if len(grants) > 1 {
		text += fmt.Sprintf(" on %d nodes", len(grants))
	}
	switch {
	case g.session != "":
		return text + ", ends with " + s.ofSession(g.node, g.owner, speaker)
	case g.expires == 0 && s.termsAt(g.node).Endless:
		return text
	case g.expires == 0:
		return text + ", never expires"
	}
	return text + ", expires in " + traces.Briefly(g.expires-g.from.At)
}

// operationSteps are the steps of what became of a release or an extension.
func (s *story) operationSteps(o *model.Operation) []candidate {
	switch o.Kind {
	case model.Release:
		return s.releaseSteps(o)
	case model.Extend:
		text := "extends its lease"
		if o.Result != model.OK {
			text = "cannot extend its lease" + because(o.Err)
		} else if o.Until > 0 {
			text += " to " + traces.Moment(o.Until)
		}
		if c := s.claimBy(o.Acquisition, o.Return.Seq); c != nil && c.again && c.from == o.Return {
			text += ", and believes again that it holds the lock"
		}
		steps := cancelSteps(o)
		if o.Return.Happened() {
			steps = append(steps, step(o.Return, o.Client, text, minor))
		}
		return steps
	}
	return nil
}

// cancelSteps is the end of the context of an operation, if it ended while the operation was under way.
func cancelSteps(o *model.Operation) []candidate {
	if !o.Cancelled.Happened() {
		return nil
	}
	text := fmt.Sprintf("the context of its %s ends", o.Kind)
	if o.Kind == model.Acquire {
		text = "no longer wants the lock: " + text
	} else {
		text = "stops waiting: " + text
	}
	return []candidate{step(o.Cancelled, o.Client, text, major-1)}
}

func (s *story) releaseSteps(o *model.Operation) []candidate {
	steps := cancelSteps(o)
	if first := s.released[o.Acquisition]; first != 0 && first < o.Call.Seq {
		steps = append(steps, step(o.Call, o.Client, "calls Release again, for a hold that it has released", helpful))
	} else if o.Return.At-o.Call.At >= slow || !o.Return.Happened() {
		steps = append(steps, step(o.Call, o.Client, "calls Release", minor))
	}
	if !o.Return.Happened() {
		return steps
	}
	text, weight := s.releaseText(o)
	answer := step(o.Return, o.Client, text, weight)
	answer.since = o.Call.Seq
	return append(steps, answer)
}

// releaseText says what Release answered, and how that compares with what it
// did.
func (s *story) releaseText(o *model.Operation) (text string, weight int) {
	switch {
	case o.NotHeld:
		return "calls Release and is told that it no longer held the lock", helpful - 1
	case o.Result == model.Failed:
		return "cannot release the lock" + because(o.Err), helpful - 1
	case o.Result == model.Unknown:
		return "does not learn whether it has released the lock" + because(o.Err), helpful - 1
	}
	own, foreign := false, (*model.Observation)(nil)
	for _, removed := range s.removals[o.ID] {
		if acquisitionOf(s.t, removed.Owner.Op) == o.Acquisition {
			own = true
		} else {
			foreign = removed
		}
	}
	const told = "is told that it has released the lock, "
	switch {
	case own && foreign != nil:
		return told + "but has removed " + s.owned(foreign.Node, foreign.Owner, o.Client) + " besides its own", helpful
	case foreign != nil:
		return told + "though the " + s.termsAt(foreign.Node).Record + " was " + whose(foreign.Owner, o.Client), helpful
	case !own && len(s.grants[o.Acquisition]) > 0 && !s.hadKey(o):
		return told + "but its " + s.termsAt(s.grants[o.Acquisition][0].node).Record + " no longer existed", helpful
	}
	return "releases the lock", helpful - 1
}

// hadKey reports whether an authority had a key of the operation's acquisition at some
// time from the call to the return.
func (s *story) hadKey(o *model.Operation) bool {
	return s.hasKey(o.Acquisition, o.Call.Seq, o.Return.Seq)
}

// hasKey reports whether an authority had a key of an acquisition at some time between two
// events.
func (s *story) hasKey(acquisition int, from, to int64) bool {
	return slices.ContainsFunc(s.presences, func(p presence) bool {
		mine := p.began.Authority != "" && s.isLockKey(p.key) && acquisitionOf(s.t, p.owner.Op) == acquisition
		return mine && p.from.Seq < to && p.to.Seq > from
	})
}

// claimSteps are those of claims that end without anybody's doing, and of those that
// begin because a lease goes on after its end.
func (s *story) claimSteps() []candidate {
	var steps []candidate
	for _, c := range s.claims {
		if !s.concerns(c.acquire.ID) {
			continue
		}
		if c.again && !s.extended(c.from) {
			text := "learns that its lease goes on to " + traces.Moment(c.until) + ", and believes again that it holds the lock"
			steps = append(steps, step(c.from, c.acquire.Client, text, helpful))
		}
		if c.to.Seq > s.t.LastSeq() {
			continue
		}
		switch c.end {
		case endExpired:
			steps = append(steps, step(c.to, c.acquire.Client, "believes no longer that it holds the lock: "+string(c.end), minor))
		case endLost:
			steps = append(steps, step(c.to, c.acquire.Client, "is told that it has lost the lock", helpful))
		}
	}
	return steps
}

// extended reports whether an Extend returned at the event, which has a step.
func (s *story) extended(at model.Stamp) bool {
	return slices.ContainsFunc(s.t.History.Operations, func(o model.Operation) bool {
		return o.Kind == model.Extend && o.Return == at
	})
}

// because is an error, appended to what it prevented.
func because(err string) string {
	if err == "" {
		return ""
	}
	return ": " + wording.Fit(wording.Printable(err), 80)
}

// whose says behind "is" to whom something belongs: "c2's", or "that of another
// acquisition of c1" if c1 is the client that the sentence is about.
func whose(owner model.Origin, speaker string) string {
	switch owner.Client {
	case "":
		return "nobody's"
	case speaker:
		return "that of another acquisition of " + wording.Printable(speaker)
	}
	return wording.Printable(owner.Client) + "'s"
}

// owned names a record on a node with its owner: "c2's key", or "the key of another acquisition
// of c1" if c1 is the client that the sentence is about.
func (s *story) owned(node string, owner model.Origin, speaker string) string {
	return owned(s.termsAt(node).Record, owner, speaker)
}

// owned is the same of any thing.
func owned(thing string, owner model.Origin, speaker string) string {
	if owner.Client != "" && owner.Client == speaker {
		return "the " + thing + " of another acquisition of " + wording.Printable(speaker)
	}
	return whose(owner, speaker) + " " + thing
}
