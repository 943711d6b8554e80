package simmysql

import (
	"slices"
	"sort"
	"strings"

	"github.com/lockpick-dev/lockpick/model"
)

// table is a table with its rows. A server has its own copy of each.
type table struct {
	name    string
	columns []*column
	// indexes are the table's keys. The first is the clustered one, which has the rows.
	indexes []*index
	counter int64 // the last number of AUTO_INCREMENT
	hidden  int64 // the last number of a row, of a table without a primary key
}

// index is a key of a table: records in the order of their keys.
type index struct {
	table   *table
	name    string
	columns []int // their places in the row; empty for the hidden key of rows without a primary key
	unique  bool
	entries []*entry
	// end stands behind all records. A lock on it is one on the gap before it.
	end *entry
}

// entry is a record of an index.
type entry struct {
	index *index
	// key are the values of the index's columns; in a secondary index those of the
	// primary key follow.
	key []value
	row *row // nil for the end
	// deleted is the mark of a record that is not to be seen by locking reads. It is
	// removed later.
	deleted bool
	by      *txn // who inserted or marked it last
	gone    bool // it was removed

	locks  []*lock      // granted and waiting, in their order
	holder *txn         // who was last observed to hold the row exclusively
	since  int64        // the revision at which that was observed; 0 if it was not yet
	got    model.Origin // the request by which it came to that
}

// row is the clustered record of a row with its versions.
type row struct {
	table  *table
	entry  *entry // in the clustered index
	newest *version
	// created is the revision at which the committed row was created.
	created int64
}

// version is a version of a row.
type version struct {
	values []value // nil if it is deleted
	by     *txn
	older  *version
	owner  model.Origin // the request that has written it
}

func newTable(name string) *table { return &table{name: name} }

// column is the place of a column, -1 if there is none.
func (t *table) column(name string) int {
	return slices.IndexFunc(t.columns, func(c *column) bool { return strings.EqualFold(c.name, name) })
}

// autoIncrement is the place of the column with AUTO_INCREMENT, -1 if there is none.
func (t *table) autoIncrement() int {
	return slices.IndexFunc(t.columns, func(c *column) bool { return c.autoIncrement })
}

// empty is a table with the same definition and no rows.
func (t *table) empty() *table {
	e := &table{name: t.name, columns: t.columns}
	for _, ix := range t.indexes {
		n := &index{table: e, name: ix.name, columns: ix.columns, unique: ix.unique}
		n.end = &entry{index: n}
		e.indexes = append(e.indexes, n)
	}
	return e
}

// withNumbers is an empty table that goes on with the same numbers of rows.
func (t *table) withNumbers() *table {
	e := t.empty()
	e.counter, e.hidden = t.counter, t.hidden
	return e
}

// clustered is the index that has the rows.
func (t *table) clustered() *index { return t.indexes[0] }

func (ix *index) isClustered() bool { return ix.table.indexes[0] == ix }

// keyOf is the key of a row in the index.
func (ix *index) keyOf(values []value, primary []value) []value {
	if ix.isClustered() {
		return primary
	}
	return append(ix.valuesOf(values), primary...)
}

// valuesOf are the values of the index's columns.
func (ix *index) valuesOf(values []value) (key []value) {
	for _, place := range ix.columns {
		key = append(key, values[place])
	}
	return key
}

// find is the place of the first record whose key is not before the given one, which may be
// the beginning of a key.
func (ix *index) find(key []value) int {
	return sort.Search(len(ix.entries), func(i int) bool { return orderAll(ix.entries[i].key, key) >= 0 })
}

// exact is the record with this whole key, or nil.
func (ix *index) exact(key []value) *entry {
	if i := ix.find(key); i < len(ix.entries) && orderAll(ix.entries[i].key, key) == 0 {
		return ix.entries[i]
	}
	return nil
}

// at is the record at a place, or the end.
func (ix *index) at(i int) *entry {
	if i < len(ix.entries) {
		return ix.entries[i]
	}
	return ix.end
}

// after is the record behind one, which may have been removed.
func (ix *index) after(e *entry) *entry {
	i := ix.find(e.key)
	if !e.gone {
		i++
	}
	return ix.at(i)
}

// insert adds a record. Who has locked the gap into which it comes has locked
// both of its parts from then on.
func (ix *index) insert(e *entry) {
	i := ix.find(e.key)
	next := ix.at(i)
	ix.entries = slices.Insert(ix.entries, i, e)
	for _, l := range slices.Clone(next.locks) {
		if l.mode&insertIntention == 0 && (next == ix.end || l.mode&recordOnly == 0) {
			e.inherit(l)
		}
	}
}

// remove takes a record out. Who has locked it has locked the gap in which it was from then on,
// and who waits for it tries again.
func (ix *index) remove(e *entry) {
	i := ix.find(e.key)
	ix.entries = slices.Delete(ix.entries, i, i+1)
	e.gone = true
	next := ix.at(i)
	for _, l := range e.locks {
		if l.mode&insertIntention == 0 && !(l.txn.level == readCommitted && l.mode&exclusive != 0) {
			next.inherit(l)
		}
	}
	e.released(e.holder, nil)
	for _, l := range slices.Clone(e.locks) {
		l.drop()
		if l.waiting {
			l.txn.wake()
		}
	}
}

// inherit makes a lock of the same transaction on the gap before the record.
func (e *entry) inherit(l *lock) {
	m := l.mode&exclusive | gap
	if l.txn.holds(e, m) {
		l.txn.structureFor(e, m, false) // it makes one all the same
		return
	}
	l.txn.add(e, m, false)
}

// latest is the newest version of a row if it is not deleted, and otherwise nil.
func (r *row) latest() []value {
	if r.newest == nil {
		return nil
	}
	return r.newest.values
}

// committed is the newest committed version of a row, or nil if there is none.
func (r *row) committed() *version {
	v := r.newest
	for v != nil && v.by != nil && v.by.number == 0 {
		v = v.older
	}
	return v
}

// seen is the version of a row that a snapshot shows to a transaction; nil if it shows none.
func (r *row) seen(t *txn) []value {
	for v := r.newest; v != nil; v = v.older {
		if v.by == nil || v.by == t || v.by.number != 0 && v.by.number <= t.view {
			return v.values
		}
	}
	return nil
}
