package simredis

import "github.com/lockpick-dev/lockpick/model"

// observeKey reports a change of a key; e is the key after the change, or before its
// end.
func (n *Node) observeKey(k model.ObservationKind, key string, e *entry, by model.Origin) {
	n.Observe(n.keyObservation(k, key, e, by))
}

func (n *Node) keyObservation(k model.ObservationKind, key string, e *entry, by model.Origin) model.Observation {
	o := model.Observation{Kind: k, Key: key, Value: e.value.String(), Owner: e.owner, By: by}
	if e.value.kind != "string" {
		o.Type, o.Items = e.value.kind, e.value.items
	}
	if g := e.gone(); !g.IsZero() && g.Sub(n.now()) < never {
		o.ExpiresAt = n.clock.When(g)
	}
	return o
}

// show reports the values of keys that a client has read from a replica.
func (n *Node) show(r *request) {
	if n.IsPrimary() || n.member != nil {
		return
	}
	for _, key := range r.keysOf(r.args) {
		o := model.Observation{Kind: model.RecordShown, Key: key, By: r.by()}
		if e := n.lookup(key); e != nil {
			o = n.keyObservation(model.RecordShown, key, e, r.by())
		}
		n.Observe(o)
	}
}

// observeWrite reports that a key was created or changed.
func (n *Node) observeWrite(key string, old, now *entry, by model.Origin) {
	if old == nil || old.hidden {
		n.observeKey(model.RecordCreated, key, now, by)
		return
	}
	o := n.keyObservation(model.RecordChanged, key, now, by)
	o.OldOwner = old.owner
	n.Observe(o)
}
