package checker

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// This file follows which nodes serve.

// servingAt is who serves, in the course of the observations: of several
// servers, those that were promoted.
type servingAt struct {
	*Judge
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
