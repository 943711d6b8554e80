package holders

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// This file finds whether clients could reach an authority.

// Reachable reports whether, all the time between two stamps, clients could reach an authority and it served their
// requests: its node was not down, did not hang and did not refuse everything, and the network was not parted. Where
// several servers act for the authority, one after the other, a client is connected to any of them, and to none after an
// election. A leader gives up only after one of these events, and commits nothing between the event and giving up. Where
// servers have different records, the other nodes of the authority's server redirect clients.
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

// closings has the nodes that refuse everything, in the course of the observations.
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

// by reports whether a node refuses everything.
func (c closings) by(node string) bool { return c[node] }

// IsElector reports whether a process is neither a client nor a node that serves: it elects the serving nodes. Clients may
// rely on the store without this one, as long as there are others.
func (hs *Holders) IsElector(name string) bool {
	return len(hs.o.Servers) > 0 && !hs.IsClient(name) &&
		!slices.ContainsFunc(hs.o.Servers, func(nodes []string) bool { return slices.Contains(nodes, name) })
}

// PartsElectors reports whether a partition separates only electors from all others.
func (hs *Holders) PartsElectors(o *model.Observation) bool {
	return o.Sides != nil && !slices.ContainsFunc(o.Sides.A, func(name string) bool { return !hs.IsElector(name) })
}
