package checker

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// cause is the reason for an event, as far as the observations show it: words for
// the end of a sentence, and the operations and observations that they mention. If
// the reason is not certain, the text is empty.
type cause struct {
	text string
	ops  []int
	seqs []int64
}

// grants reports whether the observation is a grant of the key: an authority
// created it, or changed its owner.
func grants(o *model.Observation, key string) bool {
	return o.Authority != "" && o.Key == key &&
		(o.Kind == model.RecordCreated || o.Kind == model.RecordChanged && o.Owner.Op != o.OldOwner.Op)
}

// grant returns the last observation before the Acquire's return that gave it
// the key, or nil. The last, because an Acquire whose reply was lost tries
// again, and it is the last try that was answered.
func (j *judge) grant(op *model.Operation, key string) *model.Observation {
	var last *model.Observation
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if op.Return.Happened() && o.Seq > op.Return.Seq {
			break
		}
		if o.Owner.Op == op.ID && grants(o, key) {
			last = o
		}
	}
	return last
}

// whyBoth looks for the reason why two acquisitions could both hold the lock. In
// the store one was first; the reason is what happened to its key before the other
// was granted the lock.
func (j *judge) whyBoth(a, b *model.Operation) cause {
	key := j.lockKey()
	switch {
	case j.several():
		return cause{}
	case key == "" && j.o.Ownership == nil:
		return cause{}
	case key == "":
		return j.whyBothShare(a, b)
	}
	first, second := j.grant(a, key), j.grant(b, key)
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
	if c.text == "" { // it may be the other's that is forgotten, if that is the last to be told
		c = j.whyForgotten(b, max(a.Return.Seq, b.Return.Seq))
	}
	c.seqs = append(c.seqs, first.Seq, second.Seq)
	return c
}

// whyBothShare is whyBoth for a lock without a key of its own: the reason is what
// happened to the first share.
func (j *judge) whyBothShare(a, b *model.Operation) cause {
	for _, x := range []*model.Operation{b, a} {
		if !j.hadShare(x) {
			return cause{text: "the store had not granted it to " + j.who(x)}
		}
	}
	first, second := j.firstShare(a), j.firstShare(b)
	if first == nil || second == nil {
		return cause{}
	}
	if second.from.Seq < first.from.Seq {
		a, first, second = b, second, first
	}
	c := j.whyGoneBy(a, "", j.lostShare(a, second.from.Seq), second.from.Seq)
	c.seqs = append(c.seqs, first.from.Seq, second.from.Seq)
	return c
}

// hadShare reports whether the process of an Acquire may have had a share at any time
// until that returned.
func (j *judge) hadShare(x *model.Operation) bool {
	return slices.ContainsFunc(j.tenures(), func(t tenure) bool {
		return t.overlaps(x.Call.Seq, x.Return.Seq) && (t.unknown || j.clientOf(t.by) == x.Client)
	})
}

// firstShare is the first tenure of an acquisition, or nil.
func (j *judge) firstShare(x *model.Operation) *tenure {
	all := j.tenures()
	if i := slices.IndexFunc(all, func(t tenure) bool { return t.acquisition == x.ID }); i >= 0 {
		return &all[i]
	}
	return nil
}

// lostShare is the observation that ended an acquisition's last share, or nil if it
// had none or still has one.
func (j *judge) lostShare(x *model.Operation, until int64) (lost *model.Observation) {
	all := j.tenures()
	for i := range all {
		t := &all[i]
		switch {
		case t.acquisition != x.ID || t.from.Seq > until:
		case t.over == nil || t.over.Seq > until:
			return nil
		case lost == nil || lost.Seq < t.over.Seq:
			lost = t.over
		}
	}
	return lost
}

// whyToken looks for the reason why b has no greater token than the earlier a. A
// release or an expiry of a's key is no reason. A store that has forgotten is one,
// and so is a grant of b before a's of which b heard later.
func (j *judge) whyToken(a, b *model.Operation) cause {
	from, to := a.Return.Seq, b.Return.Seq
	key := j.lockKey()
	if first, second := j.grant(a, key), j.grant(b, key); key != "" && first != nil && second != nil {
		from, to = first.Seq, second.Seq
		if to < from {
			return j.whyLost(b, key, from)
		}
		if lost := j.loss(a.ID, key, to); lost != nil && forgets(lost.Kind) {
			return j.whyLost(a, key, to)
		}
	}
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Kind == model.Promoted && o.Seq > from && o.Seq < to {
			return cause{text: o.Node + " was promoted in between", seqs: []int64{o.Seq}}
		}
	}
	return cause{}
}

// forgets reports whether an observation of the kind shows a store that forgets.
func forgets(kind model.ObservationKind) bool {
	return kind == model.Promoted || kind == model.Returned || kind == model.RecordDropped
}

// whyNever says that the acquisition never had the key, if that is certain: only
// other processes were granted the key in the meantime.
func (j *judge) whyNever(a *model.Operation, key string) cause {
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		others := o.Owner.Client != "" && o.Owner.Client != a.Client
		if grants(o, key) && !others && o.Seq > a.Call.Seq && o.Seq < a.Return.Seq {
			return cause{}
		}
	}
	return cause{text: j.who(a) + " never had the " + j.record() + " in the store"}
}

// whyLost says how the acquisition lost its key, if it had lost it at the given
// event.
func (j *judge) whyLost(a *model.Operation, key string, until int64) cause {
	return j.whyGoneBy(a, key, j.loss(a.ID, key, until), until)
}

// whyGoneBy is whyLost by what took the key, nil if nothing did.
func (j *judge) whyGoneBy(a *model.Operation, key string, lost *model.Observation, until int64) cause {
	if lost == nil || !forgets(lost.Kind) {
		if c := j.whyForgotten(a, until); c.text != "" {
			return c
		}
	}
	if lost == nil {
		return cause{}
	}
	owner := j.who(a)
	c := cause{seqs: []int64{lost.Seq}}
	switch lost.Kind {
	case model.RecordExpired:
		c.text = owner + "'s " + j.expiring(lost) + " expired on " + lost.Node
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

// by names the process of an origin, if it has one.
func (j *judge) by(o model.Origin) string {
	if name := j.author(o); name != "" {
		return " by " + name
	}
	return ""
}

// circumstances adds the conditions under which the acquisition lost its key: its
// process was paused when the key expired, a segment was being held back (one of
// its own, or one of the granting node that was for no client, such as
// replication), or it did not yet know that it had the key.
func (j *judge) circumstances(c *cause, a *model.Operation, key string, lost *model.Observation) {
	granter := lost.Node
	if g := j.grant(a, key); g != nil {
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
			if j.acquisitionOf(o.By) == a.ID || o.By.Op == 0 && (o.Node == a.Client || o.Node == granter) {
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

// earlierDelay adds the longest delay of the acquisition's process between the
// grant of the key and its expiry: a pause, or a late segment of its own. A delay
// that is short compared with a lease explains nothing.
func (j *judge) earlierDelay(c *cause, a *model.Operation, key string, lost *model.Observation) {
	g := j.grant(a, key)
	if g == nil {
		return
	}
	longest := j.lossBound()
	var text string
	var seq int64
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		s, told := stretch{from: o.At, to: o.At + o.For}, ""
		switch {
		case o.Seq >= lost.Seq:
		case o.Kind == model.Paused && o.Node == a.Client:
			s, told = j.until(s, o, model.Resumed), a.Client+" had been paused "
		case o.Kind == model.Delayed && j.acquisitionOf(o.By) == a.ID:
			told = "a segment from " + o.Node + " had been late "
		}
		if told != "" && s.to > g.At && s.to <= lost.At && s.to-s.from > longest {
			longest, text, seq = s.to-s.from, told+forTime(s.to-s.from), o.Seq
		}
	}
	if text != "" {
		c.text += " after " + text
		c.seqs = append(c.seqs, seq)
	}
}

// keyView is what one node has of an acquisition's key.
type keyView struct {
	node string
	has  bool
	// back is when the node last came back with the key in doubt.
	back *model.Observation
}

// loss returns the observation that took the acquisition's key from the
// authority, if the key is gone when the given event (which counts) has
// happened.
func (j *judge) loss(acquisition int, key string, until int64) *model.Observation {
	var lost *model.Observation
	var room [4]keyView
	nodes := room[:0]
	had := false
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Seq > until {
			break
		}
		if o.Key != key && o.Kind != model.Promoted && o.Kind != model.Returned {
			continue
		}
		var n *keyView
		n, nodes = viewOf(nodes, o.Place())
		mine := j.acquisitionOf(o.Owner) == acquisition
		var gone *model.Observation
		switch o.Kind {
		case model.RecordCreated, model.RecordChanged:
			if mine && o.Authority != "" {
				had, lost = true, nil
			} else if o.Authority != "" && n.has {
				gone = overwritten(n, o)
			}
			n.has, n.back = mine, nil
		case model.RecordExpired, model.RecordDeleted, model.RecordDropped:
			if mine && (o.Authority != "" || o.Kind == model.RecordDropped) {
				gone = o
			}
			n.has = n.has && !mine
		case model.Promoted:
			if !n.has {
				gone = o
			}
		case model.Returned:
			n.back = o
		}
		if had && lost == nil {
			lost = gone
		}
	}
	return lost
}

// overwritten returns the observation by which a node lost the key when another
// owner's was observed there: a change, or else the node's absence.
func overwritten(n *keyView, o *model.Observation) *model.Observation {
	if o.Kind == model.RecordChanged {
		return o
	}
	return n.back
}

// viewOf returns the view of the node, adding it to the views if need be.
func viewOf(views []keyView, node string) (*keyView, []keyView) {
	for i := range views {
		if views[i].node == node {
			return &views[i], views
		}
	}
	views = append(views, keyView{node: node})
	return &views[len(views)-1], views
}
