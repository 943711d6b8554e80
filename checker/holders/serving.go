package holders

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/checker/internal/spans"
	"github.com/lockpick-dev/lockpick/model"
)

// This file follows which nodes serve.

// Serving follows, in the course of the observations, which nodes serve: of several servers the promoted nodes, or the
// authority of each key.
type Serving struct {
	hs *Holders
	// Key is the served key, empty for any.
	Key string
	// Down is set while the serving node is down.
	Down     bool
	node     string
	promoted []string
	crashed  []string // and not back, of servers that are apart
	homes    *Homes   // of servers with different records
	// Seen is the number of the last event that was taken into account.
	Seen int64
}

// NewServing returns the Serving of a key before any observation. The empty key stands for all keys of the lock.
func (hs *Holders) NewServing(key string) Serving { return Serving{hs: hs, Key: key} }

// Fork returns a copy that is advanced independently.
func (p *Serving) Fork() Serving {
	q := *p
	q.promoted, q.crashed = slices.Clone(p.promoted), slices.Clone(p.crashed)
	if p.homes != nil {
		q.homes = p.homes.clone()
	}
	return q
}

// See takes an observation into account.
func (p *Serving) See(o *model.Observation) {
	p.Seen = o.Seq
	if p.hs.o.Apart {
		p.seeApart(o)
	}
	switch {
	case p.hs.o.Nodes > 1:
		if o.Kind == model.Promoted {
			p.promote(o.Place())
		}
	case p.hs.Divided():
		if p.homes == nil {
			p.homes = p.hs.NewHomes()
		}
		p.homes.See(o)
		p.Down = p.homes.isDown(p.Key)
	case p.hs.o.Apart && !p.serves(o): // a server that does not have the key
	case o.Kind == model.Promoted:
		p.node, p.Down = o.Place(), false
	case o.Kind == model.Crashed && o.Place() == p.node:
		p.Down = true
	case o.Kind == model.Returned && o.Place() == p.node:
		p.Down = false
	case p.node == "" && o.Authority != "":
		p.node = o.Place()
	}
}

// promote records that a node serves in place of the others of its server.
func (p *Serving) promote(node string) {
	p.promoted = slices.DeleteFunc(p.promoted, func(other string) bool { return p.hs.Server(other) == p.hs.Server(node) })
	p.promoted = append(p.promoted, node)
}

// seeApart follows which nodes lead, where each of several servers may have the key.
func (p *Serving) seeApart(o *model.Observation) {
	switch o.Kind {
	case model.Promoted:
		p.promote(o.Place())
	case model.Crashed:
		p.crashed = append(p.crashed, o.Place())
	case model.Returned:
		p.crashed = slices.DeleteFunc(p.crashed, func(node string) bool { return node == o.Place() })
	}
}

// serves reports whether an observation is of the server that has the key.
func (p *Serving) serves(o *model.Observation) bool {
	if p.node == "" {
		return o.Key == p.Key
	}
	return p.hs.SameServer(o.Place(), p.node)
}

// Leads reports whether a node is up and serves a key, or is the serving node of its server.
func (p *Serving) Leads(node, key string) bool {
	if p.homes != nil {
		return node == p.homes.Authority(key)
	}
	if node == p.node {
		return !p.Down
	}
	if p.hs.o.Nodes < 2 && (!p.hs.o.Apart || p.hs.SameServer(node, p.node)) || slices.Contains(p.crashed, node) {
		return false
	}
	for _, other := range slices.Backward(p.promoted) {
		if p.hs.Server(other) == p.hs.Server(node) {
			return other == node
		}
	}
	return true // none has taken its place
}

// Has reports whether the serving node, or the majority of independent servers, has the lock for an acquisition right after
// an event.
func (p *Serving) Has(x *model.Operation, seq int64) bool {
	return p.hs.OnQuorum(p.Key, x, seq, seq, func(t *Tenure) bool { return p.Leads(t.Node, t.Key) })
}

// ReplacedBy reports whether another node had been elected in a node's place before a time. A promotion without an epoch is no
// election: then it is not known which of the two serves.
func (hs *Holders) ReplacedBy(node string, at time.Duration) bool {
	last := (*model.Observation)(nil)
	for i := range hs.h.Observations {
		if o := &hs.h.Observations[i]; o.Kind == model.Promoted && o.At < at && hs.SameServer(o.Place(), node) {
			last = o
		}
	}
	return last != nil && last.Epoch > 0 && last.Place() != node
}

// ReplacedActs reports whether, between two places, a node of the authority's server served although another had been
// promoted in its place: its clients do not reach the authority, and cannot know that.
func (hs *Holders) ReplacedActs(authority string, from, to model.Stamp) bool {
	if hs.index.acting == nil {
		hs.index.acting = map[string]*spans.Set{}
	}
	s, known := hs.index.acting[authority]
	if !known {
		s = spans.New(hs.replacedAndActing(authority))
		hs.index.acting[authority] = s
	}
	return len(s.Overlapping(nil, from.Seq, to.Seq)) > 0
}

// replacedAndActing returns the stretches in which a node of the authority's server served although another had been
// promoted in its place.
func (hs *Holders) replacedAndActing(authority string) (list []spans.Span) {
	now := hs.Server(authority) // the first serving node
	acting, down := map[string]bool{}, map[string]bool{}
	since := int64(-1)
	for _, o := range hs.Turns() {
		if !hs.SameServer(o.Node, authority) {
			continue
		}
		switch {
		case o.Kind == model.Promoted && o.Place() != o.Node:
		case o.Kind == model.Promoted:
			if now != o.Node && !down[now] {
				acting[now] = true
			}
			now = o.Node
			delete(acting, now)
		case o.Kind == model.Crashed:
			down[o.Node] = true
			delete(acting, o.Node)
		case o.Kind == model.Returned:
			delete(down, o.Node)
			delete(acting, o.Node)
			if o.Authority == o.Node && now != o.Node {
				acting[o.Node] = true
			}
		}
		switch {
		case len(acting) > 0 && since < 0:
			since = o.Seq
		case len(acting) == 0 && since >= 0:
			list, since = append(list, spans.Span{From: since, To: o.Seq, At: len(list)}), -1
		}
	}
	if since >= 0 {
		list = append(list, spans.Span{From: since, To: spans.Endless, At: len(list)})
	}
	return list
}
