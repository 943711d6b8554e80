package storage

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// Changes are the changes of a commit, as replicas get them. Those of a transaction that has locked rows and changed nothing are
// empty, and are shipped all the same, as its log is.
type Changes struct {
	by        model.Origin
	xid       int64
	oid       uint32
	defined   []*Table // without rows
	contents  []image  // the rows of tables that were altered, as they are now
	emptied   []uint32
	rows      []change
	dropped   []uint32
	sequences []Sequence
	sequenced bool // sequences were defined
}

// Define reports whether definitions are among the changes, or a TRUNCATE: such a commit is flushed at once, as most of them are
// in PostgreSQL, even if it does not wait for that.
func (c *Changes) Define() bool {
	return len(c.defined)+len(c.dropped)+len(c.emptied) > 0 || c.sequenced
}

// image is a version of a row.
type image struct {
	table              uint32
	number, root, line int64
	row                []types.Value
	owner              model.Origin
	created            int64
}

// change is a change of a row: an insertion has no old number, a deletion no image.
type change struct {
	table uint32
	old   int64
	now   *image
}

func (t *Tuple) image() image {
	return image{t.table.OID, t.number, t.root, t.line, t.Row, t.owner, t.created}
}

// changes returns the transaction's changes, nil if the log has nothing of it.
func (t *Txn) changes() *Changes {
	if !t.wrote {
		return nil
	}
	db := t.db
	c := &Changes{by: t.by, xid: t.top().id, oid: db.oid}
	for _, tab := range t.defined {
		if tab.created != nil && tab.created.isAborted() || tab.dropped != nil {
			continue
		}
		c.defined = append(c.defined, tab.definition())
		if tab.created == nil || tab.created.txn != t {
			for _, n := range tab.heap {
				c.contents = append(c.contents, n.image())
			}
		}
	}
	for _, tab := range t.truncated {
		c.emptied = append(c.emptied, tab.OID)
	}
	for _, o := range t.ops {
		ch := change{}
		if o.old != nil {
			ch.table, ch.old = o.old.table.OID, o.old.number
		}
		if o.now != nil {
			m := o.now.image()
			ch.table, ch.now = m.table, &m
		}
		c.rows = append(c.rows, ch)
	}
	for _, tab := range t.dropped {
		if tab.dropped != nil {
			c.dropped = append(c.dropped, tab.OID)
		}
	}
	for _, s := range slices.Concat(t.sequences, db.logged) {
		if s.created == nil || s.created.isCommitted() || s.created.txn == t {
			c.sequences = append(c.sequences, *s)
		}
	}
	db.logged = nil
	c.sequenced = len(t.sequences) > 0
	return c
}

// definition returns a table with the same definition and no rows.
func (t *Table) definition() *Table {
	d := &Table{OID: t.OID, Schema: t.Schema, Name: t.Name, Columns: t.Columns, Info: t.Info}
	for _, ix := range t.Indexes {
		own := *ix
		own.Table, own.entries, own.object = d, nil, object{}
		d.Indexes = append(d.Indexes, &own)
	}
	return d
}

// Replicate applies a commit of another database, which is the source of this one. It ignores locks of this one's backends.
func (db *Database) Replicate(c *Changes) {
	db.commits++
	if c.Define() {
		db.definitions++
	}
	t := &Txn{db: db, number: db.commits, by: c.by, ended: true}
	x := &xact{txn: t, id: c.xid}
	t.stack = []*xact{x}
	db.xid, db.oid = max(db.xid, c.xid), max(db.oid, c.oid)
	for _, d := range c.defined {
		db.define(d)
	}
	for _, m := range c.contents {
		if n := db.table(m.table).tuple(m.number); n != nil {
			n.Row = m.row
		}
	}
	for _, d := range c.defined {
		db.table(d.OID).rebuild()
	}
	for _, r := range c.rows {
		if tab := db.table(r.table); tab != nil {
			tab.apply(t, r)
		}
	}
	t.entered()
	for _, oid := range c.emptied {
		if tab := db.table(oid); tab != nil {
			tab.heap = slices.DeleteFunc(tab.heap, func(n *Tuple) bool { return n.updater() != nil })
			tab.rebuild()
		}
	}
	for _, oid := range c.dropped {
		db.removeTable(db.table(oid))
	}
	for _, s := range c.sequences {
		db.install(s)
	}
	db.purge()
}

// table returns the table with an OID, or nil.
func (db *Database) table(oid uint32) *Table {
	if i := slices.IndexFunc(db.tables, func(t *Table) bool { return t.OID == oid }); i >= 0 {
		return db.tables[i]
	}
	return nil
}

// define makes a table have a definition.
func (db *Database) define(d *Table) {
	d = d.definition()
	t := db.table(d.OID)
	if t == nil {
		db.addTable(d)
		return
	}
	t.Schema, t.Name, t.Columns, t.Indexes, t.Info = d.Schema, d.Name, d.Columns, d.Indexes, d.Info
	for _, ix := range t.Indexes {
		ix.Table = t
	}
}

// tuple returns the tuple with a number, or nil.
func (t *Table) tuple(number int64) *Tuple {
	if i := t.find(number); i < len(t.heap) && t.heap[i].number == number {
		return t.heap[i]
	}
	return nil
}

// install adds a tuple with its own number.
func (t *Table) install(m image, x *xact) *Tuple {
	n := &Tuple{Row: m.row, table: t, number: m.number, root: m.root, line: m.line, xmin: x, owner: m.owner, created: m.created}
	t.heap = slices.Insert(t.heap, t.find(m.number), n)
	t.last = max(t.last, m.number)
	for _, ix := range t.Indexes {
		_ = ix.enter(n) // the source has evaluated it
	}
	return n
}

// apply repeats a change of a row.
func (t *Table) apply(by *Txn, c change) {
	o := op{by: by.top()}
	if c.now != nil {
		o.now = t.install(*c.now, by.top())
	}
	if c.old != 0 {
		if o.old = t.tuple(c.old); o.old != nil {
			o.old.xmax, o.old.next = o.old.xmax.with(mark{by.top(), Update, true}), o.now
		}
	}
	by.ops = append(by.ops, o)
}

// install makes a sequence equal to that of the source, as the log has it.
func (db *Database) install(s Sequence) {
	s.object, s.last, s.log = object{}, s.safe, 0
	i := slices.IndexFunc(db.sequences, func(o *Sequence) bool { return o.OID == s.OID })
	switch {
	case i < 0:
		db.addSequence(&s)
	default:
		*db.sequences[i] = s
	}
}

// Copy is the committed data of a database.
type Copy struct {
	xid       int64
	oid       uint32
	tables    []*Table // without rows
	rows      []image
	sequences []Sequence
}

// Copy copies the committed data.
func (db *Database) Copy() *Copy {
	c := &Copy{xid: db.xid, oid: db.oid}
	exists := func(o *object) bool {
		return (o.created == nil || o.created.isCommitted()) && (o.dropped == nil || !o.dropped.isCommitted())
	}
	s := db.committed()
	for _, t := range db.tables {
		if !exists(&t.object) {
			continue
		}
		d := t.definition()
		d.last = t.last
		c.tables = append(c.tables, d)
		for _, n := range t.heap {
			if s.Shows(n) {
				c.rows = append(c.rows, n.image())
			}
		}
	}
	for _, q := range db.sequences {
		if exists(&q.object) {
			c.sequences = append(c.sequences, *q)
		}
	}
	return c
}

// Load replaces the data. It reports rows that only this database had, or had with other values,
// as dropped. There must be no backends.
func (db *Database) Load(c *Copy) {
	before := db.contents()
	db.tables, db.sequences, db.deads, db.logged, db.unflushed, db.recovers = nil, nil, nil, nil, nil, nil
	db.xid, db.oid = max(db.xid, c.xid), max(db.oid, c.oid)
	db.commits++
	db.definitions++
	t := &Txn{db: db, number: db.commits, ended: true}
	x := &xact{txn: t, id: 2} // as frozen rows have it
	t.stack = []*xact{x}
	for _, d := range c.tables {
		own := d.definition()
		own.last = d.last
		db.addTable(own)
	}
	for _, m := range c.rows {
		db.table(m.table).install(m, x)
	}
	for _, s := range c.sequences {
		db.install(s)
	}
	db.reportLoss(before, db.contents())
}
