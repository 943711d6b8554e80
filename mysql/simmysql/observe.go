package simmysql

import (
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/mysql/sql"
	"github.com/lockpick-dev/lockpick/sim"
)

// rowType is the type of the records that are rows, [model.Stored.Type]: their items are the names
// of the columns, each followed by its value, "NULL" if it has none.
const rowType = "row"

// RowKey returns the key of the record that shows a row, by its table and its primary key.
func RowKey(table string, primaryKey ...string) string {
	return strings.ToLower(table) + "/" + strings.Join(primaryKey, "/")
}

// RowLockKey returns the key of the record that shows who has locked a row exclusively.
func RowLockKey(table string, primaryKey ...string) string {
	return "lock of " + RowKey(table, primaryKey...)
}

// TableLockKey returns the key of the record that shows which session LOCK TABLES ... WRITE has given a table.
func TableLockKey(table string) string { return "table lock " + strings.ToLower(table) }

// NamedLockKey returns the key of the record that shows who has the lock of GET_LOCK with
// a name.
func NamedLockKey(name string) string { return "named lock " + strings.ToLower(name) }

// observe adds an observation of the node, with an event of the log.
func (n *Node) observe(o model.Observation) { n.Observe(o) }

func texts(values []sql.Value) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = v.String()
	}
	return list
}

// observeRow reports the change of a row.
func (n *Node) observeRow(c sql.RowChange) {
	o := model.Observation{Kind: c.Kind, Key: RowKey(c.Table, texts(c.Key)...), Type: rowType, Revision: c.Created, Owner: c.Owner, OldOwner: c.OldOwner, By: c.By}
	for i, column := range c.Columns {
		o.Items = append(o.Items, column.Name, c.Values[i].String())
	}
	if c.ClockRead.Seq < n.jumped {
		o.ClockRead = c.ClockRead
	}
	o.Value = "(" + strings.Join(texts(c.Values), ", ") + ")"
	n.observe(o)
}

// Locked reports that the session has locked a row or a table.
func (s *session) Locked(place sql.Place, since int64, got model.Origin) {
	s.observeTaken(lockKey(place), since, got)
}

// Unlocked reports that the session has given up the lock on a row or a table.
func (s *session) Unlocked(place sql.Place, since int64, got model.Origin, end *sql.Ending) {
	s.observeFreed(lockKey(place), since, got, end)
}

// lockKey returns the key of the record that shows who has locked a row or a table. The end of an index has none.
func lockKey(p sql.Place) string {
	switch {
	case p.Whole:
		return TableLockKey(p.Table)
	case p.Key == nil:
		return "gap of " + p.Table
	}
	return RowLockKey(p.Table, texts(p.Key)...)
}

func (l *namedLock) observeTaken() {
	l.since, l.got = l.owner.node.data.NextRevision(), l.owner.Origin()
	l.owner.observeTaken(NamedLockKey(l.name), l.since, l.got)
}

func (l *namedLock) observeFreed(end *sql.Ending) {
	l.owner.observeFreed(NamedLockKey(l.name), l.since, l.got, end)
}

// observeTaken reports that the session has a lock from now on.
func (s *session) observeTaken(key string, since int64, got model.Origin) {
	s.observeLock(model.RecordCreated, key, since, got, got, false)
}

// observeFreed reports that the session no longer has a lock.
func (s *session) observeFreed(key string, since int64, got model.Origin, end *sql.Ending) {
	kind, by := model.RecordDeleted, s.Origin()
	if end != nil {
		by = end.By
		if end.Kind != "" {
			kind = end.Kind
		}
	}
	s.observeLock(kind, key, since, got, by, end != nil && end.Broken)
}

// observeLock reports something about a lock that the session has, or had.
func (s *session) observeLock(k model.ObservationKind, key string, since int64, owner, by model.Origin, broken bool) {
	if s.conn == nil {
		return // the server's own
	}
	s.node.observe(model.Observation{Kind: k, Key: key, Value: s.name(), Session: s.name(), Owner: owner, By: by, Revision: since, Broken: broken})
}

// name returns the session's name in observations.
func (s *session) name() string { return "connection " + strconv.FormatInt(s.id, 10) }

// Origin returns the origin of what the session does now.
func (s *session) Origin() model.Origin {
	if s.conn == nil {
		return model.Origin{}
	}
	var t *sim.Task
	if s.Busy() {
		t = s.request.task
	}
	return s.conn.by(t)
}

// by returns the origin of what a request does.
func (c *conn) by(t *sim.Task) model.Origin {
	o := model.Origin{Client: c.sock.Client().Name(), Conn: c.sock.ID()}
	if t != nil {
		o.Op = t.ID
	}
	return o
}
