package simmysql

import (
	"fmt"
	"slices"
	"strings"
)

// primary is the name of the primary key.
const primary = "PRIMARY"

// define adds a key. Its columns may come later. A key without a name has that of its first column,
// with a number if there is such a key already.
func (t *table) define(name string, unique bool, columns []string) {
	if name == "" && len(columns) > 0 {
		name = columns[0]
		for n := 2; t.key(name) >= 0; n++ {
			name = fmt.Sprintf("%s_%d", columns[0], n)
		}
	}
	ix := &index{table: t, name: name, unique: unique}
	for range columns {
		ix.columns = append(ix.columns, -1)
	}
	ix.end = &entry{index: ix}
	for i := range columns {
		ix.end.key = append(ix.end.key, textValue(columns[i])) // until complete has found them
	}
	t.indexes = append(t.indexes, ix)
}

// key is the place of a key, -1 if there is none.
func (t *table) key(name string) int {
	return slices.IndexFunc(t.indexes, func(ix *index) bool { return strings.EqualFold(ix.name, name) })
}

// complete checks a definition, and finds the columns of its keys.
func (t *table) complete() error {
	for i, c := range t.columns {
		if t.column(c.name) != i {
			return fail(1060, "42S21", "Duplicate column name '%s'", c.name)
		}
	}
	for i, ix := range t.indexes {
		switch first := t.key(ix.name); {
		case first == i:
		case ix.name == primary:
			return fail(1068, "42000", "Multiple primary key defined")
		default:
			return fail(1061, "42000", "Duplicate key name '%s'", ix.name)
		}
	}
	if err := t.completeKeys(); err != nil {
		return err
	}
	return t.completeColumns()
}

// completeKeys puts the clustered key first, and finds the columns of all.
func (t *table) completeKeys() error {
	clustered := t.key(primary)
	if clustered < 0 {
		t.define("", true, nil)
		clustered = len(t.indexes) - 1
	}
	first := t.indexes[clustered]
	t.indexes = slices.Insert(slices.Delete(t.indexes, clustered, clustered+1), 0, first)
	for _, ix := range t.indexes {
		for i, name := range ix.end.key {
			place := t.column(name.s)
			switch {
			case place < 0:
				return fail(1072, "42000", "Key column '%s' doesn't exist in table", name.s)
			case t.columns[place].kind.code == codeBlob:
				return fail(1170, "42000", "BLOB/TEXT column '%s' used in key specification without a key length", name.s)
			}
			ix.columns[i] = place
			if ix == first {
				t.columns[place].notNull = true
			}
		}
		ix.end.key = nil
	}
	return nil
}

// completeColumns checks what columns get by themselves.
func (t *table) completeColumns() error {
	numbered := 0
	for i, c := range t.columns {
		if c.autoIncrement {
			c.notNull = true
			numbered++
			isKey := slices.ContainsFunc(t.indexes, func(ix *index) bool { return len(ix.columns) > 0 && ix.columns[0] == i })
			switch {
			case c.kind.base != integer:
				return fail(1063, "42000", "Incorrect column specifier for column '%s'", c.name)
			case !isKey || numbered > 1:
				return fail(1075, "42000", "Incorrect table definition; there can be only one auto column and it must be defined as a key")
			}
		}
		if err := c.completeDefault(); err != nil {
			return err
		}
	}
	return nil
}

// completeDefault checks what a column gets where nothing is said: a constant, or the present time.
func (c *column) completeDefault() error {
	isMoment := c.kind.base == moment
	if c.onUpdate != nil && !(isMoment && isNow(c.onUpdate)) {
		return fail(1294, "HY000", "Invalid ON UPDATE clause for '%s' column", c.name)
	}
	switch e := c.fallback.(type) {
	case nil:
		return nil
	case *literal:
		_, err := c.store(e.value)
		if err == nil && !c.autoIncrement {
			return nil
		}
	case *call:
		if isMoment && isNow(e) {
			return nil
		}
		if !isNow(e) {
			return errUnsupported("a DEFAULT that is neither a constant nor the present time")
		}
	default:
		return errUnsupported("a DEFAULT that is neither a constant nor the present time")
	}
	return fail(1067, "42000", "Invalid default value for '%s'", c.name)
}

// isNow reports whether an expression is the present time.
func isNow(e expr) bool {
	f, is := e.(*call)
	return is && f.name == "now"
}
