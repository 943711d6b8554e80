package sql

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// Image is a committed row, as replicas get it; without values it is deleted.
type Image struct {
	table  string
	key    []Value
	values []Value
	owner  model.Origin
}

// Images returns the rows that a transaction has changed.
func (t *Txn) Images() []Image {
	list := make([]Image, 0, len(t.changed))
	for _, r := range t.changed {
		if v := r.newest; v != nil && v.by == t && t.db.has(r.table) {
			list = append(list, Image{r.table.name, r.entry.key, v.values, v.owner})
		}
	}
	return list
}

// Replica applies a commit of another database.
type Replica struct {
	db  *Database
	txn *Txn
}

// Replicate begins to apply one commit of another database.
func (db *Database) Replicate() Replica {
	db.commits++
	db.revision++
	return Replica{db, &Txn{db: db, number: db.commits, ended: true, view: -1}}
}

// Define applies a definition.
func (r Replica) Define(d Definition) {
	r.db.drop(d)
	if d.like != nil {
		t := d.like.empty()
		t.counter = d.number
		r.db.add(t)
	}
}

// End ends the commit.
func (r Replica) End() {
	r.db.purgeable = append(r.db.purgeable, r.txn)
	r.db.purge()
}

// Install makes a row equal to the source's, where by has committed it. It ignores locks of the
// replica's clients.
func (r Replica) Install(m Image, by model.Origin) { r.install(&m, by) }

func (r Replica) install(m *Image, by model.Origin) {
	tab := r.db.tables[tableKey(m.table)]
	ix := tab.clustered()
	var to *row
	if e := ix.exact(m.key); e != nil {
		to = e.row
	} else {
		to = &row{table: tab}
		to.entry = &entry{index: ix, key: m.key, row: to}
		ix.insert(to.entry)
	}
	old := to.committed()
	to.newest = &version{values: m.values, by: r.txn, older: to.newest, owner: m.owner}
	r.txn.changed = append(r.txn.changed, to)
	for _, ix := range tab.indexes[1:] {
		to.index(r.txn, ix, old, m.values)
	}
	if i := tab.numbered(); i >= 0 && m.values != nil {
		tab.counter = max(tab.counter, m.values[i].Int)
	}
	if len(ix.columns) == 0 {
		tab.hidden = max(tab.hidden, m.key[0].Int)
	}
	r.db.reportChange(to, old, to.newest, by)
}

// index makes another index have the row as it is from now on.
func (r *row) index(t *Txn, ix *index, old *version, values []Value) {
	if old != nil && old.values != nil {
		if e := ix.exact(ix.keyOf(old.values, r.entry.key)); e != nil {
			e.deleted, e.by = true, t
			t.marked = append(t.marked, e)
		}
	}
	if values == nil {
		return
	}
	key := ix.keyOf(values, r.entry.key)
	if e := ix.exact(key); e != nil {
		e.deleted, e.by = false, t
		return
	}
	ix.insert(&entry{index: ix, key: key, row: r, by: t})
}

// Copy is the committed data of a database.
type Copy struct {
	tables []*table // without rows, but with the last numbers
	images []Image
}

// Copy copies the committed data.
func (db *Database) Copy() (c Copy) {
	for _, name := range db.names {
		t := db.tables[name]
		c.tables = append(c.tables, t.withNumbers())
		for _, e := range t.clustered().entries {
			if v := e.row.committed(); v != nil && v.values != nil {
				c.images = append(c.images, Image{t.name, e.key, v.values, v.owner})
			}
		}
	}
	return c
}

// Load replaces the data. It reports rows that only this database had, or had with other values,
// as dropped.
func (db *Database) Load(c Copy) {
	old := db.Copy()
	for _, m := range old.images {
		i := slices.IndexFunc(c.images, func(o Image) bool { return db.isOne(&o, &m) })
		if i >= 0 && slices.EqualFunc(c.images[i].values, m.values, same) {
			continue
		}
		e := db.tables[tableKey(m.table)].clustered().exact(m.key)
		db.report(RowChange{Kind: model.RecordDropped, Owner: m.owner}, e.row, e.row.committed())
	}
	db.tables, db.names = map[string]*table{}, nil
	for _, t := range c.tables {
		db.add(t.withNumbers())
	}
	r := db.Replicate()
	for _, m := range c.images {
		db.silent = slices.ContainsFunc(old.images, func(o Image) bool { return db.isOne(&o, &m) && slices.EqualFunc(o.values, m.values, same) })
		r.install(&m, m.owner)
	}
	db.silent = false
}

// isOne reports whether two images are of one row.
func (db *Database) isOne(a, b *Image) bool {
	return a.table == b.table && db.dialect.Collation.orderAll(a.key, b.key) == 0
}
