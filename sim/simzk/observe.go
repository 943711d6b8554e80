package simzk

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
	n.ensemble.observe(o)
}

// observeSession reports that a transaction has opened or closed a session, if the server
// is the first to commit it.
func (n *Node) observeSession(x *entry, first bool) {
	if !first || x.op != opCreateSession && x.op != opClose {
		return
	}
	e := n.ensemble
	o := model.Observation{Authority: e.Name(), Session: sessionName(x.session)}
	at := n
	switch {
	case x.op == opCreateSession:
		e.clients[x.session] = model.Origin{Client: x.by.Client, Conn: x.by.Conn}
		o.Kind, o.ExpiresAt, at = model.SessionOpened, e.sessionEnds(x.session), x.from.conn.node
	case x.expires:
		o.Kind = model.SessionExpired
	default:
		o.Kind = model.SessionClosed
	}
	o.Owner = e.clients[x.session]
	at.observe(o)
	if x.op == opClose {
		delete(e.clients, x.session)
	}
}

// observeSession reports that the client of the connection goes on with its session at the
// server, or is told that it has ended.
func (c *conn) observeSession(kind model.ObservationKind) {
	o := model.Observation{Kind: kind, Session: sessionName(c.session), Owner: c.by(nil)}
	if kind == model.SessionMoved {
		o.Authority, o.ExpiresAt = c.node.ensemble.Name(), c.node.ensemble.sessionEnds(c.session)
	}
	c.node.observe(o)
}

// sessionEnds is the end of a session as the leader knows it; 0 if there is no leader.
func (e *Ensemble) sessionEnds(id int64) time.Duration {
	if l := e.leader.leads; l != nil && l.sessions[id] != nil {
		return e.leader.clock.When(l.sessions[id].ends)
	}
	return 0
}

// observeWatch reports that a client of the server has set a watch.
func (c *conn) observeWatch(w watched, by model.Origin) {
	c.node.observe(model.Observation{Kind: model.WatchSet, Owner: by, Watch: &model.Watch{Key: w.path, Below: w.kind == childWatch}})
}

// observeEvent reports that the server tells a client of an event.
func (c *conn) observeEvent(kind int32, path string, by model.Origin) {
	w := &model.Watch{Key: path, Below: kind == eventChildrenChanged}
	switch kind {
	case eventCreated:
		w.Saw = model.RecordCreated
	case eventDeleted:
		w.Saw = model.RecordDeleted
	case eventDataChanged:
		w.Saw = model.RecordChanged
	}
	c.node.observe(model.Observation{Kind: model.WatchFired, Owner: c.by(nil), By: by, Watch: w})
}

// observeChanges reports what a transaction did to znodes: the truth if the server is the
// first to commit it, and otherwise the arrival of an earlier change. Only changes of their
// data count.
func (n *Node) observeChanges(x *entry, changes []change, first bool) {
	for _, c := range changes {
		if c.kind == aclChanged {
			continue
		}
		o := model.Observation{Key: c.path, Value: valueText(c.node.data), By: x.by, Revision: c.node.czxid}
		if c.node.ephemeralOwner != 0 {
			o.Session = sessionName(c.node.ephemeralOwner)
		}
		switch c.kind {
		case created:
			o.Kind, o.Owner = model.RecordCreated, x.by
			n.owners[c.path] = x.by
		case dataChanged:
			o.Kind, o.Owner, o.OldOwner = model.RecordChanged, x.by, n.owners[c.path]
			n.owners[c.path] = x.by
		case deleted:
			o.Kind, o.Owner = model.RecordDeleted, n.owners[c.path]
			if x.expires {
				o.Kind = model.RecordExpired
			}
			delete(n.owners, c.path)
		}
		if first {
			o.Authority = n.ensemble.Name()
			n.ensemble.keep(&o, c.node.ephemeralOwner)
		}
		n.observe(o)
	}
}

// keep notes which committed records live with a session. It completes the observation of
// one with the end of the session, as the leader knows it.
func (e *Ensemble) keep(o *model.Observation, session int64) {
	if session == 0 {
		return
	}
	e.ephemerals = slices.DeleteFunc(e.ephemerals, func(r ephemeral) bool { return r.seen.Key == o.Key })
	if o.Kind != model.RecordCreated && o.Kind != model.RecordChanged {
		return
	}
	o.ExpiresAt = e.sessionEnds(session)
	e.ephemerals = append(e.ephemerals, ephemeral{session, *o})
}

// ephemeral is a committed record that lives with a session.
type ephemeral struct {
	session int64
	seen    model.Observation // its last change
}

// prolonged reports that a session lasts longer, and its records live longer, since the
// leader has heard of its client.
func (n *Node) prolonged(session int64, ends time.Duration) {
	if owner, open := n.ensemble.clients[session]; open {
		n.observe(model.Observation{
			Kind: model.SessionRenewed, Authority: n.ensemble.Name(), Session: sessionName(session), Owner: owner, ExpiresAt: ends,
		})
	}
	for i := range n.ensemble.ephemerals {
		r := &n.ensemble.ephemerals[i]
		if r.session != session {
			continue
		}
		o := r.seen
		o.Kind, o.ExpiresAt, o.OldOwner = model.RecordChanged, ends, o.Owner
		o.By = model.Origin{Client: o.Owner.Client}
		r.seen.ExpiresAt = ends
		n.observe(o)
	}
}

// valueText is the data of a znode in an observation: quoted if it is not printable.
func valueText(data []byte) string {
	if s := strconv.Quote(string(data)); s[1:len(s)-1] != string(data) {
		return s
	}
	return string(data)
}

// sessionName is the name of a session as ZooKeeper's logs write it.
func sessionName(id int64) string { return "0x" + strconv.FormatInt(id, 16) }
