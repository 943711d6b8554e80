package simetcd

import (
	"slices"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/server"
)

// observeLease reports that an operation has granted a lease or ended it, if the server is the
// first to commit it.
func (n *Node) observeLease(x *entry) {
	switch r := x.operation.(type) {
	case *grantRequest:
		at := n
		if x.from != nil {
			at = x.from.node
		}
		n.cluster.leases.Opened(r.id, x.by, at.Observe)
	case *revokeRequest:
		n.cluster.leases.Ended(r.id, x.expires, n.Observe)
	}
}

// leaseEnds returns the end of a lease as the leader knows it; 0 if there is no leader.
func (c *Cluster) leaseEnds(id int64) time.Duration {
	n := c.Leader()
	if l := n.leads; l != nil && l.leases[id] != nil {
		return n.clock.When(l.leases[id].ends)
	}
	return 0
}

// observeWatch reports that a client of the server has set a watch.
func (w *watchStream) observeWatch(v *watcher) {
	w.node.Observe(model.Observation{Kind: model.Noted, Owner: w.stream.Origin(), Note: server.Watched(v.key, v.end != "")})
}

// observeEvent reports that the server notifies a client of a change.
func (w *watchStream) observeEvent(v *watcher, kv *keyValue) {
	saw := model.RecordChanged
	switch {
	case kv.deleted():
		saw = model.RecordDeleted
	case kv.version == 1:
		saw = model.RecordCreated
	}
	w.node.Observe(model.Observation{Kind: model.Noted, Owner: w.stream.Origin(), Note: server.Fired(kv.key, saw)})
}

// observeChanges reports what an operation did to keys: the truth if the server is the first
// to commit it, and otherwise the arrival of an earlier change.
func (n *Node) observeChanges(x *entry, made []*keyValue, first bool) {
	for _, kv := range made {
		record, old := kv, n.state.previous(kv)
		o := model.Observation{Key: kv.key, By: x.by, Owner: x.by}
		switch {
		case kv.deleted():
			record, o.Kind, o.Owner = old, model.RecordDeleted, n.owners[kv.key]
			if x.expires {
				o.Kind = model.RecordExpired
			}
			delete(n.owners, kv.key)
		case kv.version == 1:
			o.Kind = model.RecordCreated
			n.owners[kv.key] = x.by
		default:
			o.Kind, o.OldOwner = model.RecordChanged, n.owners[kv.key]
			n.owners[kv.key] = x.by
		}
		o.Value, o.Revision = server.Shown(record.value), record.create
		if record.lease != 0 {
			o.Session = leaseName(record.lease)
		}
		if first {
			o.Authority = n.cluster.Name()
			n.cluster.leases.Keep(&o, record.lease)
		}
		n.Observe(o)
	}
}

// previous returns the version of a key before one of its changes, which may be of the
// same revision, or nil if there was none.
func (s *state) previous(kv *keyValue) *keyValue {
	list := s.versions[kv.key]
	if i := slices.Index(list, kv); i > 0 {
		return list[i-1]
	}
	return nil
}

// prolonged reports that a lease lasts longer, and its keys live longer, if the server is the leader that
// decides that.
func (n *Node) prolonged(lease int64, ends time.Duration) {
	if n.cluster.Leader() == n {
		n.cluster.leases.Prolonged(lease, ends, n.Observe)
	}
}

// leaseName returns the name of a lease: its number in hexadecimal digits, as in the
// keys of etcd's recipes for locks and elections.
func leaseName(id int64) string { return strconv.FormatInt(id, 16) }
