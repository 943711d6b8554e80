package simpostgres

import (
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// rowType is the type of the records that are rows, [model.Stored.Type]: their items are the names
// of the columns, each followed by its value, "NULL" if it has none.
const rowType = "row"

// RowKey returns the key of the record that shows a row, by its table and its primary key.
func RowKey(table string, primaryKey ...string) string {
	return table + "/" + strings.Join(primaryKey, "/")
}

// RowLockKey returns the key of the record that shows who has locked a row exclusively: FOR UPDATE, FOR NO KEY UPDATE,
// or by a change.
func RowLockKey(table string, primaryKey ...string) string {
	return "lock of " + RowKey(table, primaryKey...)
}

// TableLockKey returns the key of the record that shows which session has locked a table by LOCK TABLE
// in one of the modes EXCLUSIVE and ACCESS EXCLUSIVE.
func TableLockKey(table string) string { return "table lock " + table }

// AdvisoryKey returns the key of the record that shows which session has the exclusive advisory lock of a key: one
// number, which is a bigint, or two, which are integers.
func AdvisoryKey(key ...int64) string {
	words := make([]string, len(key))
	for i, k := range key {
		words[i] = strconv.FormatInt(k, 10)
	}
	return "advisory lock " + strings.Join(words, ", ")
}

// placeKey returns the key of the record that shows who has the lock at a place, empty if there is none.
func placeKey(p storage.Place) string {
	switch p.Kind {
	case storage.PlaceRow:
		return RowLockKey(p.Table.Name, shownKey(p.Table, p.Key)...)
	case storage.PlaceTable:
		return TableLockKey(p.Table.Name)
	case storage.PlaceAdvisory:
		k := p.Advisory
		if k.Pair {
			return AdvisoryKey(int64(k.A), int64(k.B))
		}
		return AdvisoryKey(int64(k.A)<<32 | int64(uint32(k.B)))
	}
	return ""
}

// shownKey returns a primary key as texts.
func shownKey(t *storage.Table, key []types.Value) (list []string) {
	var primary *storage.Index
	for _, ix := range t.Indexes {
		if ix.Primary {
			primary = ix
		}
	}
	for i, v := range key {
		oid := types.Int8OID // a number, if there is no primary key
		if primary != nil {
			oid = primary.Types[i]
		}
		list = append(list, shownValue(oid, v))
	}
	return list
}

// shownValue returns a value as text.
func shownValue(oid types.OID, v types.Value) string {
	if v == nil {
		return "NULL"
	}
	return types.Text(oid, v)
}

// observeRow reports the change of a row.
func (n *Node) observeRow(c storage.RowChange) {
	o := model.Observation{
		Kind: c.Kind, Key: RowKey(c.Table.Name, shownKey(c.Table, c.Key)...), Type: rowType, Revision: c.Created,
		Owner: c.Owner, OldOwner: c.OldOwner, By: c.By,
	}
	var values []string
	for i, column := range c.Table.Columns {
		if column.Dropped || i >= len(c.Values) {
			continue
		}
		text := shownValue(column.Type, c.Values[i])
		o.Items = append(o.Items, column.Name, text)
		values = append(values, text)
	}
	if c.ClockRead.Seq < n.jumped {
		o.ClockRead = c.ClockRead
	}
	o.Value = "(" + strings.Join(values, ", ") + ")"
	n.Observe(o)
}

// Locked reports that the session has a lock from now on.
func (s *session) Locked(place storage.Place, since int64, got model.Origin) {
	s.observeLock(model.RecordCreated, placeKey(place), since, got, got, false)
}

// Unlocked reports that the session no longer has a lock.
func (s *session) Unlocked(place storage.Place, since int64, got model.Origin, end *storage.Ending) {
	kind, by := model.RecordDeleted, s.Origin()
	if end != nil {
		by = end.By
		if end.Kind != "" {
			kind = end.Kind
		}
	}
	s.observeLock(kind, placeKey(place), since, got, by, end != nil && end.Broken)
}

// observeLock reports something about a lock that the session has, or had. Its holder is named by the client's
// connection, and not by the session, which may be that of other clients before and after it, behind a pooler.
func (s *session) observeLock(k model.ObservationKind, key string, since int64, owner, by model.Origin, broken bool) {
	if s.conn == nil || key == "" {
		return // the server's own
	}
	holder := connectionName(owner.Conn)
	s.node.Observe(model.Observation{Kind: k, Key: key, Value: holder, Session: holder, Owner: owner, By: by, Revision: since, Broken: broken})
}

// connectionName returns the name of a client's connection in observations.
func connectionName(number int) string { return "connection " + strconv.Itoa(number) }

// name returns the session's name in observations: that of its client's connection, or behind a pooler one by its process,
// which is no other's on any node.
func (s *session) name() string {
	if s.conn != nil {
		if _, direct := s.conn.link.(dialed); direct {
			return connectionName(s.opener.Conn)
		}
	}
	return "session " + strconv.Itoa(int(s.pid)) + " on " + s.node.Name()
}

// Origin returns the origin of what the session does now.
func (s *session) Origin() model.Origin {
	o := s.origin
	if !s.running() {
		o.Op = 0
	}
	return o
}

// endedBy describes the end of locks that a request ends.
func endedBy(by model.Origin) *storage.Ending { return &storage.Ending{By: by} }
