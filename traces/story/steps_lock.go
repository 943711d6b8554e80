package story

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// lockSteps finds the steps of the lock's own operations.
type lockSteps struct{ plot *Plot }

// acquireSteps returns the steps of an acquisition: one, or two if the answer came long after the request or the grant.
func (s lockSteps) acquireSteps(a *model.Operation) []candidate {
	var steps []candidate
	grants := s.plot.grants[a.ID]
	waited := a.Return.At-a.Call.At >= slow
	if waited || !a.Return.Happened() {
		steps = append(steps, step(a.Call, a.Client, "asks for the lock", minor-1))
	}
	late := len(grants) > 0 && (!a.Return.Happened() || a.Result != model.OK || a.Return.At-grants[0].From.At >= slow)
	if late {
		g := grants[0]
		text := fmt.Sprintf("creates the %s for %s (%s)", s.plot.TermsAt(g.Node).Record, wording.Printable(a.Client), s.keyText(grants, ""))
		if a.Return.Happened() && g.From.Seq > a.Return.Seq {
			text += fmt.Sprintf(", though %s has stopped waiting", wording.Printable(a.Client))
		}
		steps = append(steps, step(g.From, g.Node, text, major-1))
	}
	steps = append(steps, cancelSteps(a)...)
	if a.Return.Happened() {
		answer := step(a.Return, a.Client, s.acquireText(a, grants, late), major)
		answer.since = a.Call.Seq
		steps = append(steps, answer)
	}
	return steps
}

// acquireText describes the result of an Acquire.
func (s lockSteps) acquireText(a *model.Operation, grants []*Presence, late bool) string {
	switch {
	case a.Result == model.Unknown:
		return "does not learn whether it has the lock" + Because(a.Err)
	case a.Result == model.Failed:
		return "does not get the lock" + Because(a.Err)
	}
	text := "acquires the lock"
	switch {
	case len(grants) > 0 && grants[0].Session != "" && !s.plot.hasKey(a.ID, a.Return.Seq, a.Return.Seq):
		text += ", though its " + s.plot.TermsAt(grants[0].Node).Record + " is gone"
	case late:
		text = "hears that it has the lock"
	case len(grants) > 0:
		text += " (" + s.keyText(grants, a.Client) + ")"
	}
	if a.Fenced {
		text += fmt.Sprintf(" with token %d", a.Token)
		if before := s.plot.tokenBefore(a); before != nil {
			text += fmt.Sprintf(", not higher than %s's %d before", wording.Printable(before.Client), before.Token)
		}
	}
	if others := s.plot.believers(a.Return.Seq, a.Client); len(others) > 0 {
		text += ", while " + list(printables(others)) + " still " + wording.Form(len(others), "believes that it holds", "believe that they hold") + " it"
	}
	return text
}

// keyText returns the key that a grant wrote: "lock = 9f2c41…, expires in 2s". The sentence is about the speaker.
func (s lockSteps) keyText(grants []*Presence, speaker string) string {
	g := grants[0]
	text := RecordEntry(g.Began)
	if len(grants) > 1 {
		text += fmt.Sprintf(" on %d nodes", len(grants))
	}
	switch {
	case g.Session != "":
		return text + ", ends with " + s.plot.ofSession(g.Node, g.Owner, speaker)
	case g.Expires == 0 && s.plot.TermsAt(g.Node).Endless:
		return text
	case g.Expires == 0:
		return text + ", never expires"
	}
	return text + ", expires in " + traces.Briefly(g.Expires-g.From.At)
}

// operationSteps returns the steps of the result of a release or an extension.
func (s lockSteps) operationSteps(o *model.Operation) []candidate {
	switch o.Kind {
	case model.Release:
		return s.releaseSteps(o)
	case model.Extend:
		text := "extends its lease"
		if o.Result != model.OK {
			text = "cannot extend its lease" + Because(o.Err)
		} else if o.Until > 0 {
			text += " to " + traces.Moment(o.Until)
		}
		if c := s.plot.ClaimBy(o.Acquisition, o.Return.Seq); c != nil && c.Resumed && c.From == o.Return {
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

// cancelSteps returns the step of the end of an operation's context, if it ended while the operation was under way.
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

func (s lockSteps) releaseSteps(o *model.Operation) []candidate {
	steps := cancelSteps(o)
	if first := s.plot.released[o.Acquisition]; first != 0 && first < o.Call.Seq {
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

// releaseText describes the result of a Release, and compares it with its effect.
func (s lockSteps) releaseText(o *model.Operation) (text string, weight int) {
	switch {
	case o.NotHeld:
		return "calls Release and is told that it no longer held the lock", helpful - 1
	case o.Result == model.Failed:
		return "cannot release the lock" + Because(o.Err), helpful - 1
	case o.Result == model.Unknown:
		return "does not learn whether it has released the lock" + Because(o.Err), helpful - 1
	}
	own, foreign, other := false, (*model.Observation)(nil), model.Origin{}
	for _, removed := range s.plot.removals[o.ID] {
		if was, _ := removes(s.plot.Trace, removed); AcquisitionOf(s.plot.Trace, was.Op) == o.Acquisition {
			own = true
		} else {
			foreign, other = removed, was
		}
	}
	const told = "is told that it has released the lock, "
	switch {
	case own && foreign != nil:
		return told + "but has removed " + s.plot.owned(foreign.Node, other, o.Client) + " besides its own", helpful
	case foreign != nil:
		return told + "though the " + s.plot.TermsAt(foreign.Node).Record + " was " + whose(other, o.Client), helpful
	case !own && len(s.plot.grants[o.Acquisition]) > 0 && !s.plot.hadKey(o):
		terms := s.plot.TermsAt(s.plot.grants[o.Acquisition][0].Node)
		if terms.Measured { // the record may still be there, and be another's or nobody's
			return told + "but no longer had the " + terms.Record, helpful
		}
		return told + "but its " + terms.Record + " no longer existed", helpful
	}
	return "releases the lock", helpful - 1
}

// claimSteps returns the steps of claims that end by themselves, and of those that begin because a lease goes on after its
// end.
func (s lockSteps) claimSteps() []candidate {
	var steps []candidate
	for _, c := range s.plot.Claims {
		if !s.plot.Concerns(c.Acquire.ID) {
			continue
		}
		if c.Resumed && !s.extended(c.From) {
			text := "learns that its lease goes on to " + traces.Moment(c.Until) + ", and believes again that it holds the lock"
			steps = append(steps, step(c.From, c.Acquire.Client, text, helpful))
		}
		if c.To.Seq > s.plot.Trace.LastSeq() {
			continue
		}
		switch c.End {
		case endExpired:
			steps = append(steps, step(c.To, c.Acquire.Client, "believes no longer that it holds the lock: "+string(c.End), minor))
		case endLost:
			steps = append(steps, step(c.To, c.Acquire.Client, "is told that it has lost the lock", helpful))
		}
	}
	return steps
}

// extended reports whether an Extend that has a step returned at the event.
func (s lockSteps) extended(at model.Stamp) bool {
	return slices.ContainsFunc(s.plot.Trace.History.Operations, func(o model.Operation) bool {
		return o.Kind == model.Extend && o.Return == at
	})
}
