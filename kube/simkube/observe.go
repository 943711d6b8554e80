package simkube

import (
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/server"
)

// observe reports what an operation did to a lease: the truth if the server is the first to commit it, and
// otherwise the arrival of an earlier change.
//
// The value is the holder's name, empty for nobody. A lease ends by no event: other clients measure how long
// it has not changed. So the end in the observation is the first moment at which they may take it over.
func (n *Node) observe(c *change, by model.Origin, first bool) {
	l := c.now
	o := model.Observation{Kind: model.RecordChanged, By: by, Owner: by}
	switch {
	case c.now == nil:
		l, o.Kind = c.old, model.RecordDeleted
		o.Owner = n.owners[l.key()]
		delete(n.owners, l.key())
	case c.old == nil:
		o.Kind = model.RecordCreated
		n.owners[l.key()] = by
	case c.old.holder() == l.holder(): // a renewal: the value is as old as before
		o.Owner, o.OldOwner = n.owners[l.key()], n.owners[l.key()]
	default:
		o.OldOwner = n.owners[l.key()]
		n.owners[l.key()] = by
	}
	o.Key, o.Value, o.Revision = l.key(), server.Shown(l.holder()), n.state.created[l.key()]
	if first {
		o.Authority = n.cluster.Name()
	}
	if c.now != nil && l.holder() != "" && l.lasts() > 0 {
		o.ExpiresAt = n.world.Now() + l.lasts()
	}
	n.Observe(o)
	if note := noteOf(c); note != nil && first {
		n.Observe(model.Observation{Kind: model.Noted, Authority: o.Authority, Key: o.Key, Owner: by, ExpiresAt: o.ExpiresAt, Note: note})
	}
}

// noteOf returns the note about a change of holders, or nil.
func noteOf(c *change) *model.Note {
	if c.now == nil {
		return nil
	}
	was, is := "", c.now.holder()
	if c.old != nil {
		was = c.old.holder()
	}
	note := model.Note{Subject: c.now.key()}
	switch {
	case was == is && is != "":
		note.Event, note.Detail = "lease-renewed", is
		note.Text = "{owner} renews the Lease of " + server.Shown(is) + ": others may take it over from {expires} on"
	case was != "" && is != "":
		note.Event, note.Detail = "lease-taken-over", was+" -> "+is
		note.Text = "{owner} takes the Lease over from " + server.Shown(was) + ", which has not given it up"
	default:
		return nil
	}
	return &note
}

// watched is the observation that a client watches leases.
func watched(by model.Origin, f filter) model.Observation {
	return model.Observation{Kind: model.Noted, Owner: by, Note: server.Watched(f.namespace+"/"+f.name, f.name == "")}
}

// fired is the observation that a server sends a client the event of a watch.
func fired(to model.Origin, c *change) model.Observation {
	saw, l := model.RecordChanged, c.now
	switch {
	case c.now == nil:
		saw, l = model.RecordDeleted, c.old
	case c.old == nil:
		saw = model.RecordCreated
	}
	return model.Observation{Kind: model.Noted, Owner: to, Note: server.Fired(l.key(), saw)}
}

// rejected is the observation that a server rejects a request of a client.
func rejected(by model.Origin) model.Observation {
	return model.Observation{Kind: model.Noted, Owner: by, Note: server.Failed("429 Too Many Requests", false)}
}
