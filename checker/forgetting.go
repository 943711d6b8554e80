package checker

import (
	"slices"
	"strconv"

	"github.com/lockpick-dev/lockpick/model"
)

// copyOf is what a node has of a key.
type copyOf struct {
	node, key, value string
	items            []string
}

// forgot reports whether a server forgot anything between two events: it lost keys
// in a restart or when it came back, or a node replaced another that had other
// values, or that goes on beside it.
func (j *judge) forgot(from, to int64) bool {
	var copies []copyOf
	var serving, down, beside []string
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Seq > to {
			break
		}
		if o.Seq >= from && len(beside) > 0 {
			return true
		}
		switch o.Kind {
		case model.RecordCreated, model.RecordChanged, model.RecordExpired, model.RecordDeleted:
			copies = slices.DeleteFunc(copies, func(c copyOf) bool { return c.node == o.Place() && c.key == o.Key })
			if o.Kind == model.RecordCreated || o.Kind == model.RecordChanged {
				copies = append(copies, copyOf{o.Place(), o.Key, o.Value, o.Items})
			}
			if o.Authority != "" && !slices.Contains(serving, o.Place()) {
				if slices.ContainsFunc(serving, func(n string) bool { return j.sameServer(n, o.Place()) }) {
					beside = append(beside, o.Place())
				}
				serving = append(serving, o.Place())
			}
		case model.RecordDropped:
			if o.Seq >= from {
				return true
			}
		case model.Crashed, model.Returned:
			at := func(n string) bool { return n == o.Place() }
			if down, beside = slices.DeleteFunc(down, at), slices.DeleteFunc(beside, at); o.Kind == model.Crashed {
				down = append(down, o.Place())
			}
		case model.Promoted:
			for _, old := range serving {
				switch {
				case old == o.Place() || !j.sameServer(old, o.Place()):
				case !slices.Contains(down, old):
					beside = append(beside, old)
				case o.Seq >= from && !sameCopies(copies, old, o.Place()):
					return true
				}
			}
			serving = slices.DeleteFunc(serving, func(n string) bool { return j.sameServer(n, o.Place()) })
			serving = append(serving, o.Place())
		}
	}
	return len(beside) > 0
}

// sameServer reports whether two nodes may take each other's place. Without
// Options.Servers all may.
func (j *judge) sameServer(a, b string) bool {
	return j.server(a) == j.server(b) || len(j.o.Servers) == 0 && j.o.Nodes < 2
}

func sameCopies(copies []copyOf, a, b string) bool {
	has := func(node string, c *copyOf) bool {
		return slices.ContainsFunc(copies, func(o copyOf) bool {
			return o.node == node && o.key == c.key && o.value == c.value && slices.Equal(o.items, c.items)
		})
	}
	for i := range copies {
		c := &copies[i]
		if c.node == a && !has(b, c) || c.node == b && !has(a, c) {
			return false
		}
	}
	return true
}

// whyForgotten says how the store forgot an acquisition's lock, if it had by the
// event; of two serving at once the old one may still have it.
func (j *judge) whyForgotten(x *model.Operation, seq int64) (c cause) {
	key, ok := j.readable()
	at := j.stampOf(seq)
	if !ok || j.unbackedAt(x, at) != StoreForgot {
		return c
	}
	parts := j.parts(x, key, at)
	if p := endedBy(parts, forgotten); p != nil {
		how := p.node + " lost " + j.who(x) + "'s " + j.record() + " when it went down"
		switch p.over.Kind {
		case model.RecordDropped:
			how = p.node + " dropped " + j.who(x) + "'s " + j.record()
		case model.Promoted:
			how = p.over.Node + " was promoted without " + j.who(x) + "'s " + j.record()
		case model.Returned:
			how = p.node + " came back without " + j.who(x) + "'s " + j.record()
		case model.RecordExpired:
			how = p.node + " came back without what had extended " + j.who(x) + "'s " + j.record()
		}
		return cause{text: how, seqs: []int64{p.over.Seq}}
	}
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if p := endedBy(parts, stands); o.Kind == model.Promoted && o.Seq <= seq && p != nil && o.Place() != p.node && j.sameServer(o.Place(), p.node) {
			c = cause{text: o.Node + " was promoted while " + p.node + " had " + j.who(x) + "'s " + j.record(), seqs: []int64{o.Seq}}
		}
	}
	return c
}

// stampOf is the place of an event of the history.
func (j *judge) stampOf(seq int64) model.Stamp {
	at := model.Stamp{Seq: seq}
	see := func(s model.Stamp) {
		if s.Seq <= seq {
			at.At = max(at.At, s.At)
		}
	}
	for i := range j.h.Observations {
		see(j.h.Observations[i].Stamp)
	}
	for i := range j.h.Operations {
		see(j.h.Operations[i].Call)
		see(j.h.Operations[i].Return)
	}
	return at
}

// whyTokens says why b, which was granted the lock after a, has no greater token: the
// counter has been forgotten, or the lock before it; or the token was not drawn in
// the step of the grant.
func (j *judge) whyTokens(a, b *model.Operation) string {
	from, to := a.Return, b.Return
	if key := j.lockKey(); key != "" {
		if first, second := j.grant(a, key), j.grant(b, key); first != nil && second != nil {
			if from, to = first.Stamp, second.Stamp; to.Seq < from.Seq {
				// It was granted the lock before, and heard of it after.
				if cause := j.unbackedAt(b, b.Return); cause != "" {
					return cause
				}
			}
		}
	}
	first, second := j.drawn(a, ""), j.drawn(b, "")
	if first != nil {
		second = j.drawn(b, first.Key)
	}
	switch {
	case first == nil || second == nil:
		if j.forgot(from.Seq, to.Seq) {
			return StoreForgot
		}
	case first.Seq < second.Seq:
		if first.Place() != second.Place() && j.sameServer(first.Place(), second.Place()) || j.forgot(first.Seq, second.Seq) {
			return StoreForgot
		}
		return TokenApart
	}
	if cause := j.unbackedAt(a, to); cause == StoreForgot || cause == StoreClockJumped {
		return cause
	}
	return TokenApart
}

// drawn is the observation of the last write of an Acquire that showed its token, to
// the key if one is named; or nil.
func (j *judge) drawn(x *model.Operation, key string) (draw *model.Observation) {
	token := strconv.FormatInt(x.Token, 10)
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if x.Return.Happened() && o.Seq > x.Return.Seq {
			break
		}
		writes := o.Authority != "" && (o.Kind == model.RecordCreated || o.Kind == model.RecordChanged)
		if writes && o.By.Op == x.ID && (key == "" || o.Key == key) && (o.Type == "" && o.Value == token || slices.Contains(o.Items, token)) {
			draw = o
		}
	}
	return draw
}
