package checker

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// leaseHonesty: violated when, while a lease claims to be valid (Until), the
// authority, or the majority of independent nodes, does not have the lock for it,
// and the claim goes on for longer than the drift that is allowed. An authority
// that is down gives the lock to nobody: what counts is what the next one has.
func (j *judge) leaseHonesty() model.Verdict {
	key, ok := j.owned()
	switch {
	case !j.leased():
		return notApplicable("No lease says until when it is valid.")
	case !ok:
		return j.notSingle()
	case !j.everStored():
		return j.noneStored()
	}
	var found worst
	for i := range j.claims {
		c := &j.claims[i]
		if !c.timed || !c.stands(c.start) {
			continue
		}
		if v, bad := j.dishonest(c, key); bad && found.add(v) {
			break
		}
	}
	return found.or(holds())
}

// leased reports whether any claim has an end of its own.
func (j *judge) leased() bool {
	for i := range j.claims {
		if j.claims[i].timed {
			return true
		}
	}
	return false
}

// dishonest looks for a place in the claim at which the store does not have
// the lock for it.
func (j *judge) dishonest(c *claim, key string) (model.Verdict, bool) {
	end := j.end(c)
	at := servingAt{judge: j, key: key}
	check := func(s model.Stamp) bool {
		return c.stands(s) && end.At-s.At > j.o.Drift && !at.down && !at.has(c.op, s.Seq)
	}
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Seq > c.start.Seq && at.seen < c.start.Seq && check(c.start) {
			return j.dishonestAt(c, key, c.start, end), true
		}
		if o.Seq > end.Seq {
			return model.Verdict{}, false
		}
		at.see(o)
		if check(o.Stamp) {
			return j.dishonestAt(c, key, o.Stamp, end), true
		}
	}
	if at.seen < c.start.Seq && check(c.start) {
		return j.dishonestAt(c, key, c.start, end), true
	}
	return model.Verdict{}, false
}

// servingAt is who serves, in the course of the observations: of several
// servers, those that were promoted.
type servingAt struct {
	*judge
	key      string
	node     string
	down     bool
	promoted []string
	seen     int64
}

func (p *servingAt) see(o *model.Observation) {
	p.seen = o.Seq
	switch {
	case p.o.Nodes > 1:
		if o.Kind == model.Promoted {
			p.promoted = append(p.promoted, o.Place())
		}
	case o.Kind == model.Promoted:
		p.node, p.down = o.Place(), false
	case o.Kind == model.Crashed && o.Place() == p.node:
		p.down = true
	case o.Kind == model.Returned && o.Place() == p.node:
		p.down = false
	case p.node == "" && o.Authority != "":
		p.node = o.Place()
	}
}

// leads reports whether the node serves, or is the one that serves of its server.
func (p *servingAt) leads(node string) bool {
	if p.o.Nodes < 2 {
		return node == p.node
	}
	for _, other := range slices.Backward(p.promoted) {
		if p.server(other) == p.server(node) {
			return other == node
		}
	}
	return true // none has taken its place
}

// has reports whether who serves, or the majority of independent servers, has
// the lock for the acquisition right after the event.
func (p *servingAt) has(x *model.Operation, seq int64) bool {
	return p.quorate(p.key, x, func(t *tenure) bool { return t.stands(seq) && p.leads(t.node) })
}

func (j *judge) dishonestAt(c *claim, key string, from, end model.Stamp) model.Verdict {
	sentence := j.who(c.op) + "'s lease claimed to be valid " + forTime(end.At-from.At) + " longer than the store had the lock for it"
	if from == c.start {
		sentence = j.who(c.op) + "'s lease claimed to be valid " + forTime(end.At-from.At) + ", but the store did not have the lock for it"
	}
	why := j.whyLost(c.op, key, from.Seq)
	return with(violated(because(sentence, why), from, end, append(why.ops, c.op.ID), append(why.seqs, j.at(from.Seq))),
		j.whyDishonest(c, key, from, end))
}

// whyDishonest says why a claim stands that the store does not have the lock for. It
// may have forgotten it, and the claim go on for longer than it was granted all the
// same.
func (j *judge) whyDishonest(c *claim, key string, from, end model.Stamp) string {
	cause := j.unbacked(c, from)
	if cause == "" {
		return NotEstablished
	}
	parts := j.parts(c.op, key, end)
	granted, ever := j.together(parts, asGranted)
	if model.CauseOf(cause).Limit && ever && end.At > granted+j.o.Drift+j.clockError(c.op.Client, c.op.Call.At, end) {
		return ClaimedLonger
	}
	return cause
}

// at returns the number if it is an observation's, else 0.
func (j *judge) at(seq int64) int64 {
	for i := range j.h.Observations {
		if j.h.Observations[i].Seq == seq {
			return seq
		}
	}
	return 0
}
