package sql

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/model"
)

// NewDatabase returns a database without tables.
func NewDatabase(d *Dialect, h Host) *Database {
	return &Database{dialect: d, host: h, tables: map[string]*table{}, queues: map[string]*tableQueue{}}
}

// Open returns the open transactions, in the order in which they began.
func (db *Database) Open() []*Txn { return db.open }

// NextRevision returns a new revision, for a host that reports a lock of a kind that the engine does not know.
func (db *Database) NextRevision() int64 {
	db.revision++
	return db.revision
}

// tableKey returns the key by which a table is looked up: its name without regard to
// case.
func tableKey(name string) string { return strings.ToLower(name) }

// has reports whether a table is one of the database's, and was not dropped.
func (db *Database) has(t *table) bool { return db.tables[tableKey(t.name)] == t }

// place returns the place of a lock on a record.
func (e *entry) place() Place {
	if e.row == nil {
		return Place{Table: e.index.table.name}
	}
	return Place{Table: e.row.table.name, Key: e.row.entry.key}
}

// reportCommit reports a commit's change of a row.
func (db *Database) reportCommit(r *row, t *Txn) {
	if r.newest == nil || r.newest.by != t {
		return
	}
	old := r.newest
	for old != nil && old.by == t {
		old = old.older
	}
	db.reportChange(r, old, r.newest, t.by)
}

// reportChange reports a change of a committed row.
func (db *Database) reportChange(r *row, old, now *version, by model.Origin) {
	was, is := old != nil && old.values != nil, now.values != nil
	switch {
	case is && !was:
		r.created = db.revision
		db.report(RowChange{Kind: model.RecordCreated, Owner: now.owner, By: by, ClockRead: now.read}, r, now)
	case is:
		db.report(RowChange{Kind: model.RecordChanged, Owner: now.owner, OldOwner: old.owner, By: by, ClockRead: now.read}, r, now)
	case was:
		db.report(RowChange{Kind: model.RecordDeleted, Owner: old.owner, By: by}, r, old)
	}
}

// report completes a change by the row and a version of it, and reports it.
func (db *Database) report(c RowChange, r *row, v *version) {
	if db.silent {
		return
	}
	c.Table, c.Columns, c.Key, c.Values, c.Created = r.table.name, r.table.columns, r.entry.key, v.values, r.created
	db.host.Changed(c)
}

// drop drops the table of a definition, if it has one to drop.
func (db *Database) drop(d Definition) {
	key := tableKey(d.drop)
	t := db.tables[key]
	if t == nil {
		return
	}
	db.revision++
	for _, e := range t.clustered().entries {
		if v := e.row.committed(); v != nil && v.values != nil {
			db.report(RowChange{Kind: model.RecordDeleted, Owner: v.owner, By: d.by}, e.row, v)
		}
	}
	delete(db.tables, key)
	db.names = slices.DeleteFunc(db.names, func(name string) bool { return name == key })
}

// add adds a table.
func (db *Database) add(t *table) {
	key := tableKey(t.name)
	db.tables[key] = t
	db.names = append(db.names, key)
}
