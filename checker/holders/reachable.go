package holders

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// This file answers whether clients could reach an authority.

// Reachable reports whether an authority could be reached, and did what it was asked to,
// all the time: what speaks for it was not down, did not hang and did not refuse everything, and the network was not
// parted. Where several servers speak for it, one after the other, a client is connected to
// any of them, and to none after an election. A leader gives up only after one of these, and
// it commits nothing between that and its giving up. Where servers have different records, the other nodes
// of its own send clients on.
func (hs *Holders) Reachable(authority string, from, to model.Stamp) bool {
	leader, down, parted, divided := authority, false, false, hs.Divided()
	var closed closings
	for _, o := range hs.Turns() {
		if o.Seq > to.Seq {
			break
		}
		if o.Note != nil { // some are of an authority, at a follower that a client has reached
			continue
		}
		if o.Authority == authority {
			leader = o.Node
		}
		of := o.Node == leader
		switch {
		case leader != authority:
			of = of || !hs.IsClient(o.Node)
		case divided:
			of = hs.SameServer(o.Node, authority)
		}
		switch o.Kind {
		case model.Crashed:
			down = down || o.Node == leader || divided && of
		case model.Promoted, model.Returned:
			down = down && o.Authority != authority && o.Node != authority && !divided
		case model.Parted:
			parted = parted || !hs.PartsElectors(o)
		case model.United:
			parted = false
		}
		if o.Kind == model.Paused && of && o.At+o.For > from.At || o.Seq > from.Seq && closed.by(leader) {
			return false
		}
		closed.see(o)
		changes := o.Kind == model.Returned || (leader != authority || divided) && (o.Kind == model.Crashed || o.Kind == model.Promoted)
		if o.Seq > from.Seq && (down || parted || o.Kind == model.United || changes && of) {
			return false
		}
	}
	return !down && !parted && !closed.by(leader) && !hs.ReplacedActs(authority, from, to)
}

// closings are the nodes that refuse everything, in the course of the observations.
type closings map[string]bool

func (c *closings) see(o *model.Observation) {
	switch o.Kind {
	case model.Closed:
		if *c == nil {
			*c = closings{}
		}
		(*c)[o.Node] = true
	case model.Opened, model.Crashed, model.Returned, model.Promoted:
		delete(*c, o.Node)
	}
}

// by reports whether a node is one of them.
func (c closings) by(node string) bool { return c[node] }

// IsElector reports whether a process is neither a client nor one of the nodes that serve: it chooses
// which of them does. Clients may rely on the store without it, as long as there are others.
func (hs *Holders) IsElector(name string) bool {
	return len(hs.o.Servers) > 0 && !hs.IsClient(name) &&
		!slices.ContainsFunc(hs.o.Servers, func(nodes []string) bool { return slices.Contains(nodes, name) })
}

// PartsElectors reports whether a partition takes only such processes from all others.
func (hs *Holders) PartsElectors(o *model.Observation) bool {
	return o.Sides != nil && !slices.ContainsFunc(o.Sides.A, func(name string) bool { return !hs.IsElector(name) })
}
