package sql

import (
	"slices"
	"sort"
	"strings"
)

// column returns the place of a column, -1 if there is none.
func (t *table) column(name string) int {
	return slices.IndexFunc(t.columns, func(c *Column) bool { return strings.EqualFold(c.Name, name) })
}

// isUncompared reports whether an expression is a column that cannot be compared.
func (t *table) isUncompared(e Expr) bool {
	r, is := e.(*ColumnRef)
	return is && t.column(r.Name) >= 0 && t.columns[t.column(r.Name)].Type.JSON
}

// numbered returns the place of the column that counts, -1 if there is none.
func (t *table) numbered() int {
	return slices.IndexFunc(t.columns, func(c *Column) bool { return c.Numbered })
}

// empty returns a table with the same definition and no rows.
func (t *table) empty() *table {
	e := &table{name: t.name, collation: t.collation, columns: t.columns}
	for _, ix := range t.indexes {
		n := &index{table: e, name: ix.name, columns: ix.columns, unique: ix.unique}
		n.end = &entry{index: n}
		e.indexes = append(e.indexes, n)
	}
	return e
}

// withNumbers returns an empty table that goes on with the same numbers of rows.
func (t *table) withNumbers() *table {
	e := t.empty()
	e.counter, e.hidden = t.counter, t.hidden
	return e
}

// clustered returns the index that has the rows.
func (t *table) clustered() *index { return t.indexes[0] }

// order orders keys of the index, or their beginnings.
func (ix *index) order(a, b []Value) int { return ix.table.collation.orderAll(a, b) }

func (ix *index) isClustered() bool { return ix.table.indexes[0] == ix }

// keyOf returns the key of a row in the index.
func (ix *index) keyOf(values []Value, primary []Value) []Value {
	if ix.isClustered() {
		return primary
	}
	return append(ix.valuesOf(values), primary...)
}

// valuesOf returns the values of the index's columns.
func (ix *index) valuesOf(values []Value) (key []Value) {
	for _, place := range ix.columns {
		key = append(key, values[place])
	}
	return key
}

// find returns the place of the first record whose key is not before the given one, which may be
// the beginning of a key.
func (ix *index) find(key []Value) int {
	return sort.Search(len(ix.entries), func(i int) bool { return ix.order(ix.entries[i].key, key) >= 0 })
}

// exact returns the record with this whole key, or nil.
func (ix *index) exact(key []Value) *entry {
	if i := ix.find(key); i < len(ix.entries) && ix.order(ix.entries[i].key, key) == 0 {
		return ix.entries[i]
	}
	return nil
}

// at returns the record at a place, or the end.
func (ix *index) at(i int) *entry {
	if i < len(ix.entries) {
		return ix.entries[i]
	}
	return ix.end
}

// after returns the record behind one, which may have been removed.
func (ix *index) after(e *entry) *entry {
	i := ix.find(e.key)
	if !e.gone {
		i++
	}
	return ix.at(i)
}

// latest returns the newest version of a row if it is not deleted, and otherwise nil.
func (r *row) latest() []Value {
	if r.newest == nil {
		return nil
	}
	return r.newest.values
}

// committed returns the newest committed version of a row, or nil if there is none.
func (r *row) committed() *version {
	v := r.newest
	for v != nil && v.by != nil && v.by.number == 0 {
		v = v.older
	}
	return v
}

// seen returns the version of a row that a snapshot shows to a transaction; nil if it shows none.
func (r *row) seen(t *Txn) []Value {
	for v := r.newest; v != nil; v = v.older {
		if v.by == nil || v.by == t || v.by.number != 0 && v.by.number <= t.view {
			return v.values
		}
	}
	return nil
}
