package simetcd

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// observe adds an observation of the server, with an event of the log.
func (n *Node) observe(o model.Observation) {
	e := sim.Event{Kind: sim.EventNote, Actor: n.Name(), Peer: o.By.Client, Conn: o.By.Conn, Detail: strings.TrimSpace(string(o.Kind) + " " + o.Key)}
	if o.Kind.Unjudged() {
		e.Kind, e.Peer, e.Conn, e.Detail = sim.EventInfo, o.Owner.Client, o.Owner.Conn, o.Info()
	}
	e = n.world.Log(e)
	o.Stamp, o.Node = model.Stamp{Seq: e.Seq, At: e.At}, n.Name()
	n.cluster.observe(o)
}

// observeLease reports that an operation has granted a lease or ended it, if the server is the
// first to commit it.
func (n *Node) observeLease(x *entry) {
	c, o, at := n.cluster, model.Observation{Authority: n.cluster.Name()}, n
	var lease int64
	switch r := x.operation.(type) {
	case *grantRequest:
		lease, o.Kind, o.ExpiresAt = r.id, model.SessionOpened, c.leaseEnds(r.id)
		c.clients[lease] = model.Origin{Client: x.by.Client, Conn: x.by.Conn}
		if x.from != nil {
			at = x.from.node
		}
	case *revokeRequest:
		lease, o.Kind = r.id, model.SessionClosed
		if x.expires {
			o.Kind = model.SessionExpired
		}
	default:
		return
	}
	o.Session, o.Owner = leaseName(lease), c.clients[lease]
	at.observe(o)
	if o.Kind != model.SessionOpened {
		delete(c.clients, lease)
	}
}

// leaseEnds is the end of a lease as the leader knows it; 0 if there is no leader.
func (c *Cluster) leaseEnds(id int64) time.Duration {
	if l := c.leader.leads; l != nil && l.leases[id] != nil {
		return c.leader.clock.When(l.leases[id].ends)
	}
	return 0
}

// observeWatch reports that a client of the server has set a watch.
func (w *watchStream) observeWatch(v *watcher) {
	w.node.observe(model.Observation{Kind: model.WatchSet, Owner: w.stream.Origin(), Watch: &model.Watch{Key: v.key, Below: v.end != ""}})
}

// observeEvent reports that the server tells a client of a change.
func (w *watchStream) observeEvent(v *watcher, kv *keyValue) {
	saw := model.RecordChanged
	switch {
	case kv.deleted():
		saw = model.RecordDeleted
	case kv.version == 1:
		saw = model.RecordCreated
	}
	w.node.observe(model.Observation{Kind: model.WatchFired, Owner: w.stream.Origin(), Watch: &model.Watch{Key: kv.key, Saw: saw}})
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
		o.Value, o.Revision = valueText(record.value), record.create
		if record.lease != 0 {
			o.Session = leaseName(record.lease)
		}
		if first {
			o.Authority = n.cluster.Name()
			n.cluster.keep(&o, record.lease)
		}
		n.observe(o)
	}
}

// previous is the version of a key before one of its changes, which may be of the same
// revision, or nil if there was none.
func (s *state) previous(kv *keyValue) *keyValue {
	list := s.versions[kv.key]
	if i := slices.Index(list, kv); i > 0 {
		return list[i-1]
	}
	return nil
}

// leased is a committed key of a lease.
type leased struct {
	lease int64
	seen  model.Observation // its last change
}

// keep notes which committed keys live with a lease. It completes the observation of one with
// the end of the lease, as the leader knows it.
func (c *Cluster) keep(o *model.Observation, lease int64) {
	c.leased = slices.DeleteFunc(c.leased, func(r leased) bool { return r.seen.Key == o.Key })
	if lease == 0 || o.Kind != model.RecordCreated && o.Kind != model.RecordChanged {
		return
	}
	o.ExpiresAt = c.leaseEnds(lease)
	c.leased = append(c.leased, leased{lease, *o})
}

// prolonged reports that a lease lasts longer, and its keys live longer, if the server is the leader that
// decides that.
func (n *Node) prolonged(lease int64, ends time.Duration) {
	if n.cluster.leader != n {
		return
	}
	if owner, open := n.cluster.clients[lease]; open {
		n.observe(model.Observation{Kind: model.SessionRenewed, Authority: n.cluster.Name(), Session: leaseName(lease), Owner: owner, ExpiresAt: ends})
	}
	for i := range n.cluster.leased {
		r := &n.cluster.leased[i]
		if r.lease != lease {
			continue
		}
		o := r.seen
		o.Kind, o.ExpiresAt, o.OldOwner = model.RecordChanged, ends, o.Owner
		o.By = model.Origin{Client: o.Owner.Client}
		r.seen.ExpiresAt = ends
		n.observe(o)
	}
}

// valueText is a value in an observation: quoted if it is not printable.
func valueText(value string) string {
	if s := strconv.Quote(value); s[1:len(s)-1] != value {
		return s
	}
	return value
}

// leaseName is the name of a lease: its number in hexadecimal digits, as in the keys of
// etcd's recipes for locks and elections.
func leaseName(id int64) string { return strconv.FormatInt(id, 16) }
