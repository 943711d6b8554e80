package storage

import "slices"

// Template is what statements that define tables have made of a new database. It is not changed any more: databases of several runs
// may be made of it at once.
type Template struct {
	oid         uint32
	xid         int64
	made        int
	commits     int64
	definitions int64
	revision    int64
	tables      []*Table
}

// IsNew reports whether nothing has been done with the database.
func (db *Database) IsNew() bool { return db.made == 0 && db.commits == 0 && len(db.tables) == 0 }

// Template returns what was done with the database, which no backend must use. It is nil if there is more than tables without rows
// and their indexes of columns: sequences have a state, and functions that make keys may belong to the run.
func (db *Database) Template() *Template {
	if len(db.sequences) > 0 || slices.ContainsFunc(db.tables, func(t *Table) bool { return !t.isPlain() }) {
		return nil
	}
	c := &Template{oid: db.oid, xid: db.xid, made: db.made, commits: db.commits, definitions: db.definitions, revision: db.revision}
	for _, t := range db.tables {
		c.tables = append(c.tables, t.definition())
	}
	return c
}

// isPlain reports whether the table was created once for all, and is as it was then.
func (t *Table) isPlain() bool {
	return t.last == 0 && t.dropped == nil && t.created.isCommitted() && !slices.ContainsFunc(t.Indexes, func(ix *Index) bool {
		return ix.Partial || slices.Contains(ix.Columns, -1)
	})
}

// Restore makes a new database what another one was.
func (db *Database) Restore(c *Template) {
	db.oid, db.xid, db.made = c.oid, c.xid, c.made
	db.commits, db.definitions, db.revision = c.commits, c.definitions, c.revision
	db.tables = make([]*Table, len(c.tables))
	for i, t := range c.tables {
		db.tables[i] = t.definition()
	}
}
