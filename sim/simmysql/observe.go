package simmysql

import (
	"strings"

	"github.com/lockpick-dev/lockpick/model"
)

// rowType is the type of the records that are rows, [model.Stored.Type]: their items are the names
// of the columns, each followed by its value, "NULL" if it has none.
const rowType = "row"

// RowKey is the key of the record that shows a row, by its table and its primary key.
func RowKey(table string, primaryKey ...string) string {
	return strings.ToLower(table) + "/" + strings.Join(primaryKey, "/")
}

// RowLockKey is the key of the record that shows who has locked a row exclusively.
func RowLockKey(table string, primaryKey ...string) string {
	return "lock of " + RowKey(table, primaryKey...)
}

// NamedLockKey is the key of the record that shows who has the lock of GET_LOCK with
// a name.
func NamedLockKey(name string) string { return "named lock " + strings.ToLower(name) }

// observe adds an observation of the node, with an event of the log.
func (n *Node) observe(o model.Observation) { n.Observe(o) }

// key is the key of the record that shows the row.
func (r *row) key() string { return RowKey(r.table.name, texts(r.entry.key)...) }

func texts(values []value) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = v.String()
	}
	return list
}

// observeCommit reports what a commit did to a row.
func (n *Node) observeCommit(r *row, t *txn) {
	if r.newest == nil || r.newest.by != t {
		return
	}
	old := r.newest
	for old != nil && old.by == t {
		old = old.older
	}
	n.observeChange(r, old, r.newest, t.by)
}

// observeChange reports that the committed row is another one from now on.
func (n *Node) observeChange(r *row, old, now *version, by model.Origin) {
	was, is := old != nil && old.values != nil, now.values != nil
	switch {
	case is && !was:
		r.created = n.revision
		n.observeRow(model.Observation{Kind: model.RecordCreated, Owner: now.owner, By: by}, r, now)
	case is:
		n.observeRow(model.Observation{Kind: model.RecordChanged, Owner: now.owner, OldOwner: old.owner, By: by}, r, now)
	case was:
		n.observeRow(model.Observation{Kind: model.RecordDeleted, Owner: old.owner, By: by}, r, old)
	}
}

// observeRow completes an observation of a row by a version of it, and reports it.
func (n *Node) observeRow(o model.Observation, r *row, v *version) {
	if n.silent {
		return
	}
	o.Key, o.Type, o.Revision = r.key(), rowType, r.created
	for i, c := range r.table.columns {
		o.Items = append(o.Items, c.name, v.values[i].String())
	}
	o.Value = "(" + strings.Join(texts(v.values), ", ") + ")"
	n.observe(o)
}

// taken notes that a transaction holds the row of a record exclusively from now on. That is
// observed at the end of the event, if the transaction has it still: a statement that is a transaction by
// itself gives it up at once.
func (e *entry) taken(t *txn) {
	if e.holder == t || e.row == nil || e.row.entry != e {
		return
	}
	e.holder, e.since, e.got = t, 0, t.session.origin()
	n := t.session.node
	n.taken = append(n.taken, e)
}

// observeTaken reports, at the end of an event, which rows are held exclusively since it began.
func (n *Node) observeTaken() {
	list := n.taken
	n.taken = nil
	for _, e := range list {
		if e.holder == nil || e.since != 0 {
			continue
		}
		n.revision++
		e.since = n.revision
		e.holder.session.observeTaken("lock of "+e.row.key(), e.since, e.got)
	}
}

// released notes that the holder of a row has given it up.
func (e *entry) released(t *txn, end *ending) {
	if t == nil || e.holder != t {
		return
	}
	e.holder = nil
	if e.since != 0 {
		t.session.observeFreed("lock of "+e.row.key(), e.since, e.got, end)
	}
}

// observeGrant reports that a row was locked, if that is what the lock does.
func (l *lock) observeGrant() {
	if l.mode&exclusive != 0 && l.mode&gap == 0 {
		l.entry.taken(l.txn)
	}
}

func (l *namedLock) observeTaken() {
	n := l.owner.node
	n.revision++
	l.since, l.got = n.revision, l.owner.origin()
	l.owner.observeTaken(NamedLockKey(l.name), l.since, l.got)
}

func (l *namedLock) observeFreed(end *ending) {
	l.owner.observeFreed(NamedLockKey(l.name), l.since, l.got, end)
}

// observeTaken reports that the session has a lock from now on.
func (s *session) observeTaken(key string, since int64, got model.Origin) {
	s.observeLock(model.RecordCreated, key, since, got, got, false)
}

// observeFreed reports that the session does not have a lock any more.
func (s *session) observeFreed(key string, since int64, got model.Origin, end *ending) {
	kind, by := model.RecordDeleted, s.origin()
	if end != nil {
		by = end.by
		if end.kind != "" {
			kind = end.kind
		}
	}
	s.observeLock(kind, key, since, got, by, end != nil && end.broken)
}

// observeLock reports something about a lock that the session has, or had.
func (s *session) observeLock(k model.ObservationKind, key string, since int64, owner, by model.Origin, broken bool) {
	if s.conn == nil {
		return // the server's own
	}
	s.node.observe(model.Observation{Kind: k, Key: key, Value: s.name(), Session: s.name(), Owner: owner, By: by, Revision: since, Broken: broken})
}

// observeBegin reports that a client has logged in.
func (s *session) observeBegin() {
	s.node.observe(model.Observation{Kind: model.SessionOpened, Session: s.name(), Owner: s.conn.by(nil)})
}

// observeEnd reports the end of the session.
func (s *session) observeEnd(end *ending) {
	if s.conn == nil {
		return
	}
	kind := model.SessionClosed
	if end != nil && end.kind != model.RecordDeleted {
		kind = model.SessionExpired
	}
	s.node.observe(model.Observation{Kind: kind, Session: s.name(), Owner: s.conn.by(nil)})
}

// observeDeadlock reports that the session's transaction is ended because of a deadlock.
func (s *session) observeDeadlock() {
	if s.conn != nil {
		s.node.observe(model.Observation{Kind: model.TransactionDeadlocked, Session: s.name(), Owner: s.origin()})
	}
}
