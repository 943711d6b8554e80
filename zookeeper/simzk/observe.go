package simzk

import (
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/server"
)

// observeSession reports that a transaction has opened or closed a session, if the server
// is the first to commit it.
func (n *Node) observeSession(x *entry, first bool) {
	switch {
	case !first:
	case x.op == opCreateSession:
		n.ensemble.sessions.Opened(x.session, x.by, x.from.conn.node.Observe)
	case x.op == opClose:
		n.ensemble.sessions.Ended(x.session, x.expires, n.Observe)
	}
}

// observeMoved reports that the client of the connection goes on with its session at the server.
func (c *conn) observeMoved() {
	c.node.ensemble.sessions.Moved(c.session, c.by(nil), c.node.Observe)
}

// observeRefused reports that the server refuses the session of the connection, which has ended.
func (c *conn) observeRefused() {
	c.node.ensemble.sessions.Refused(c.session, c.by(nil), c.node.Observe)
}

// sessionEnds returns the end of a session as the leader knows it; 0 if there is no leader.
func (e *Ensemble) sessionEnds(id int64) time.Duration {
	n := e.Leader()
	if l := n.leads; l != nil && l.sessions[id] != nil {
		return n.clock.When(l.sessions[id].ends)
	}
	return 0
}

// observeWatch reports that a client of the server has set a watch.
func (c *conn) observeWatch(w watched, by model.Origin) {
	c.node.Observe(model.Observation{Kind: model.Noted, Owner: by, Note: server.Watched(w.path, w.kind == childWatch)})
}

// observeEvent reports that the server notifies a client of an event.
func (c *conn) observeEvent(kind int32, path string, by model.Origin) {
	var saw model.ObservationKind
	switch kind {
	case eventCreated:
		saw = model.RecordCreated
	case eventDeleted:
		saw = model.RecordDeleted
	case eventDataChanged:
		saw = model.RecordChanged
	}
	c.node.Observe(model.Observation{Kind: model.Noted, Owner: c.by(nil), By: by, Note: server.Fired(path, saw)})
}

// observeChanges reports what a transaction did to znodes: the truth if the server is the
// first to commit it, and otherwise the arrival of an earlier change. Only changes of their
// data count.
func (n *Node) observeChanges(x *entry, changes []change, first bool) {
	for _, c := range changes {
		if c.kind == aclChanged {
			continue
		}
		o := model.Observation{Key: c.path, Value: server.Shown(string(c.node.data)), By: x.by, Revision: c.node.czxid}
		if c.node.ephemeralOwner != 0 {
			o.Session = SessionName(c.node.ephemeralOwner)
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
				o.Kind, o.ExpiresAt = model.RecordExpired, x.due
			}
			delete(n.owners, c.path)
		}
		if first {
			o.Authority = n.ensemble.Name()
			n.ensemble.sessions.Keep(&o, c.node.ephemeralOwner)
		}
		n.Observe(o)
	}
}

// prolonged reports that a session lasts longer, and its records live longer, since the
// leader has heard of its client.
func (n *Node) prolonged(session int64, ends time.Duration) {
	n.ensemble.sessions.Prolonged(session, ends, n.Observe)
}

// SessionName returns the name of a session, as ZooKeeper's logs write it.
func SessionName(id int64) string { return "0x" + strconv.FormatInt(id, 16) }
