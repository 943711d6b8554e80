package checker

import (
	"time"

	"github.com/lockpick-dev/lockpick/checker/endings"
	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// This file words the reasons of violations, for the ends of sentences. It decides nothing: package endings does.

// A reason is why something happened, as far as the observations show it: words for the end of a sentence, and the
// operations and observations that they mention. The text is empty if the reason is not certain.
type reason struct {
	text string
	ops  []int
	seqs []int64
}

// because joins a sentence and a reason.
func because(sentence string, c reason) string {
	if c.text == "" {
		return sentence + "."
	}
	return sentence + ": " + c.text + "."
}

// whyBoth returns the reason why two acquisitions could both hold the lock. In the store one was first; the reason is what
// happened to its key before the other was granted the lock.
func (j *Judge) whyBoth(a, b *model.Operation) reason {
	key := j.LockKey()
	switch {
	case j.Several():
		return reason{}
	case key == "" && j.o.Ownership == nil:
		return reason{}
	case key == "":
		return j.whyBothShare(a, b)
	}
	first, second := j.Grant(a, key), j.Grant(b, key)
	if first != nil && second != nil && second.Seq < first.Seq {
		a, b, first, second = b, a, second, first
	}
	switch {
	case first == nil:
		return j.whyNever(a, key)
	case second == nil:
		return j.whyNever(b, key)
	}
	c := j.whyLost(a, key, second.Seq)
	if c.text == "" { // the store may have forgotten the other, if that returned last
		c = j.whyForgotten(b, max(a.Return.Seq, b.Return.Seq))
	}
	c.seqs = append(c.seqs, first.Seq, second.Seq)
	return c
}

// whyBothShare is whyBoth for a lock without a key of its own: the reason is what happened to the first share.
func (j *Judge) whyBothShare(a, b *model.Operation) reason {
	for _, x := range []*model.Operation{b, a} {
		if !j.HadTenure(x) {
			to := j.grantedInstead(x, "")
			return reason{text: "the store had not granted it to " + j.who(x) + prefixed(", but to ", to.text), seqs: to.seqs}
		}
	}
	first, second := j.FirstTenure(a), j.FirstTenure(b)
	if first == nil || second == nil {
		return reason{}
	}
	if second.From.Seq < first.From.Seq {
		a, first, second = b, second, first
	}
	c := j.whyShareLost(a, second.From.Seq)
	c.seqs = append(c.seqs, first.From.Seq, second.From.Seq)
	return c
}

// whyToken returns the reason why b has no greater token than the earlier a. A release or an expiry of a's key is no
// reason. A store that has forgotten is one, and so is a grant to b that was made before a's and answered later.
func (j *Judge) whyToken(a, b *model.Operation) reason {
	from, to := a.Return.Seq, b.Return.Seq
	key := j.LockKey()
	if first, second := j.Grant(a, key), j.Grant(b, key); key != "" && first != nil && second != nil {
		from, to = first.Seq, second.Seq
		if to < from {
			return j.whyLost(b, key, from)
		}
		if lost := j.Loss(a.ID, key, to); lost != nil && endings.Forgets(lost.Kind) {
			return j.whyLost(a, key, to)
		}
	}
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Kind == model.Promoted && o.Seq > from && o.Seq < to {
			return reason{text: o.Node + " was promoted in between", seqs: []int64{o.Seq}}
		}
	}
	return reason{}
}

// whyNever returns that the acquisition never had the key, if that is certain: only other processes were granted the key
// in the meantime.
func (j *Judge) whyNever(a *model.Operation, key string) reason {
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		others := o.Owner.Client != "" && o.Owner.Client != a.Client
		if holders.Grants(o, key) && !others && o.Seq > a.Call.Seq && o.Seq < a.Return.Seq {
			return reason{}
		}
	}
	never, to := j.who(a)+" never had the "+j.record()+" in the store", j.grantedInstead(a, key)
	if to.text != "" {
		never += ", which " + to.text + " had"
	}
	return reason{text: never, seqs: to.seqs}
}

// grantedInstead names the acquisition that had the lock in the store when x returned without a grant, and the observation
// of its grant, if that acquisition is certain.
func (j *Judge) grantedInstead(x *model.Operation, key string) reason {
	var other *holders.Tenure
	all := j.Tenures()
	for i := range all {
		t := &all[i]
		switch {
		case !t.OfKey(key) || !t.Stands(x.Return.Seq) || t.Until != 0 && t.Until <= x.Return.At:
		case t.Acquisition == 0 || j.CountsFor(t, x) || j.Several() || other != nil && other.Acquisition != t.Acquisition:
			return reason{}
		default:
			other = t
		}
	}
	if other == nil {
		return reason{}
	}
	return reason{text: j.who(j.h.Operation(other.Acquisition)), seqs: []int64{other.Wrote.Seq}}
}

// prefixed returns a text with words before it, empty if the text is.
func prefixed(words, text string) string {
	if text == "" {
		return ""
	}
	return words + text
}

// whyLost returns how the acquisition had lost its key by the given event, if it had.
func (j *Judge) whyLost(a *model.Operation, key string, until int64) reason {
	return j.whyGoneBy(a, key, j.Loss(a.ID, key, until), until)
}

// whyShareLost is whyLost for a lock without a key of its own.
func (j *Judge) whyShareLost(a *model.Operation, until int64) reason {
	return j.whyGoneBy(a, "", j.LastEnd(a, until), until)
}

// whyGoneBy is whyLost with the observation that took the key, nil if nothing did.
func (j *Judge) whyGoneBy(a *model.Operation, key string, lost *model.Observation, until int64) reason {
	if lost == nil || !endings.Forgets(lost.Kind) {
		if c := j.whyForgotten(a, until); c.text != "" {
			return c
		}
	}
	if lost == nil {
		return reason{}
	}
	owner := j.who(a)
	c := reason{seqs: []int64{lost.Seq}}
	switch lost.Kind {
	case model.RecordExpired:
		c.text = owner + "'s " + j.expiring(lost) + spent(j.UsedUp(a, lost)) + " expired on " + lost.Node
		if lost.Broken {
			c.text = "the network broke " + owner + "'s " + j.expiring(lost) + " to " + lost.Node
		}
	case model.RecordDeleted:
		c.text = owner + "'s " + j.record() + " was deleted on " + lost.Node + j.by(lost.By)
		c.ops = append(c.ops, lost.By.Op)
	case model.RecordChanged:
		c.text = owner + "'s " + j.record() + " was overwritten on " + lost.Node + j.by(lost.By)
		c.ops = append(c.ops, lost.By.Op)
	case model.RecordCreated:
		c.text = owner + "'s " + j.record() + " was overtaken on " + lost.Node + j.by(lost.By)
		c.ops = append(c.ops, lost.By.Op)
	case model.RecordDropped:
		c.text = lost.Node + " dropped " + owner + "'s " + j.record()
	case model.Promoted:
		c.text = lost.Node + " was promoted without " + owner + "'s " + j.record()
	case model.Returned:
		c.text = lost.Node + " came back without " + owner + "'s " + j.record()
	}
	j.circumstances(&c, a, key, lost)
	return c
}

// whyForgotten returns how the store had forgotten an acquisition's lock by the event, if it had. If two nodes serve at
// once, the old one may still have it.
func (j *Judge) whyForgotten(x *model.Operation, seq int64) (c reason) {
	key, ok := j.Readable()
	at := j.StampOf(seq)
	cause := ""
	if ok {
		cause = j.CauseNotHeldBy(x, at)
	}
	if cause != model.StoreForgot && cause != model.TwoMasters && cause != model.Migration {
		return c
	}
	parts := j.Parts(x, key, at)
	if cause == model.Migration {
		if p, asked, step := j.MovedFrom(parts, at); p != nil {
			c.text = p.Node + " had " + j.who(x) + "'s " + j.record() + ", and clients asked " + asked + ", as the " + j.record() + "s were being moved from one to the other"
			c.seqs = []int64{step.Seq}
		}
		return c
	}
	if p := endings.EndedBy(parts, endings.Forgotten); p != nil {
		how := p.Node + " came back without what had extended " + j.who(x) + "'s " + j.record()
		if p.Over == nil { // its record has its end
			return reason{text: how}
		}
		switch p.Over.Kind {
		case model.RecordDropped:
			how = p.Node + " dropped " + j.who(x) + "'s " + j.record()
		case model.Promoted:
			how = p.Over.Node + " was promoted without " + j.who(x) + "'s " + j.record()
		case model.Returned:
			how = p.Node + " came back without " + j.who(x) + "'s " + j.record()
		case model.RecordExpired, model.RecordChanged, model.RecordDeleted:
		default:
			how = p.Node + " lost " + j.who(x) + "'s " + j.record() + " when it went down"
		}
		return reason{text: how, seqs: []int64{p.Over.Seq}}
	}
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if p := endings.EndedBy(parts, endings.Stands); o.Kind == model.Promoted && o.Seq <= seq && p != nil && o.Place() != p.Node && j.SameServer(o.Place(), p.Node) {
			text := o.Node + " was promoted while " + p.Node + " had " + j.who(x) + "'s " + j.record()
			if p.From > o.At {
				text = p.Node + " still gave " + j.who(x) + " the lock after " + o.Node + " had been promoted"
			}
			c = reason{text: text, seqs: []int64{o.Seq}}
		}
	}
	return c
}

// spent returns a clause for how much of a lease had passed when its holder got the lock, or "" if that was not most of
// it.
func spent(used time.Duration) string {
	if used == 0 {
		return ""
	}
	return ", of which " + forTime(used)[len("for "):] + " had passed when its acquire returned and which nothing had renewed,"
}

// by names the process of an origin, if it has one.
func (j *Judge) by(o model.Origin) string {
	if name := j.author(o); name != "" {
		return " by " + name
	}
	return ""
}

// circumstances adds the conditions under which the acquisition lost its key: its process was paused when the key expired;
// a segment was being held back, of its own or of the granting node for no client (such as replication); or the process
// did not yet know that it had the key.
func (j *Judge) circumstances(c *reason, a *model.Operation, key string, lost *model.Observation) {
	granter := lost.Node
	if g := j.Grant(a, key); g != nil {
		granter = g.Node
	}
	var pause, delay *model.Observation
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Seq >= lost.Seq {
			break
		}
		switch {
		case o.Kind == model.Paused && o.Node == a.Client:
			pause = o
		case o.Kind == model.Resumed && o.Node == a.Client:
			pause = nil
		case o.Kind == model.Delayed && o.At+o.For > lost.At:
			if j.AcquisitionOf(o.By) == a.ID || o.By.Op == 0 && (o.Node == a.Client || o.Node == granter) {
				delay = o
			}
		}
	}
	switch {
	case lost.Kind != model.RecordExpired && lost.Kind != model.Promoted:
	case pause != nil && lost.Kind == model.RecordExpired:
		c.text += " while " + a.Client + " was paused"
		c.seqs = append(c.seqs, pause.Seq)
	case delay != nil:
		c.text += " while a segment from " + delay.Node + " was late"
		c.seqs = append(c.seqs, delay.Seq)
	case lost.Kind == model.RecordExpired:
		j.earlierDelay(c, a, key, lost)
	}
	if lost.Seq < a.Return.Seq {
		c.text += ", before " + j.who(a) + " had its answer"
	}
}

// earlierDelay adds the longest delay of the acquisition's process between the grant of the key and its expiry: a pause,
// or a late segment of its own. A delay that is short compared with a lease is left out.
func (j *Judge) earlierDelay(c *reason, a *model.Operation, key string, lost *model.Observation) {
	g := j.Grant(a, key)
	if g == nil {
		return
	}
	longest := j.LossBound()
	var text string
	var seq int64
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		s, words := endings.Stretch{From: o.At, To: o.At + o.For}, ""
		switch {
		case o.Seq >= lost.Seq:
		case o.Kind == model.Paused && o.Node == a.Client:
			s, words = j.Until(s, o, model.Resumed), a.Client+" had been paused "
		case o.Kind == model.Delayed && j.AcquisitionOf(o.By) == a.ID:
			words = "a segment from " + o.Node + " had been late "
		}
		if words != "" && s.To > g.At && s.To <= lost.At && s.To-s.From > longest {
			longest, text, seq = s.To-s.From, words+forTime(s.To-s.From), o.Seq
		}
	}
	if text != "" {
		c.text += " after " + text
		c.seqs = append(c.seqs, seq)
	}
}
