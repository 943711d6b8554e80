package executor

import (
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
)

// What the executor keeps with tables, columns and indexes. Replicas share it: it is replaced, never changed, and names
// other tables instead of pointing to them.

// always is an identity column that takes no other values; the other kind is "BY DEFAULT".
const always = "ALWAYS"

// columnInfo is what is kept of a column.
type columnInfo struct {
	Default   syntax.Expr
	Sequence  syntax.Name // the one that it owns: of serial and identity columns
	Identity  string
	Generated syntax.Expr
}

func infoOf(c *storage.Column) columnInfo {
	info, _ := c.Info.(columnInfo)
	return info
}

// tableInfo is what is kept of a table.
type tableInfo struct {
	Checks   []checkInfo
	Keys     []foreignKey
	Triggers []triggerInfo // in the order of their names
}

func tableInfoOf(t *storage.Table) tableInfo {
	info, _ := t.Info.(tableInfo)
	return info
}

// checkInfo is a CHECK constraint.
type checkInfo struct {
	Name string
	Expr syntax.Expr
}

// foreignKey is a FOREIGN KEY constraint. Columns are places in the table that has it.
type foreignKey struct {
	Name               string
	Columns            []int
	Table              syntax.Name
	Names              []string // the columns there
	OnDelete, OnUpdate string
	Deferred           bool
}

// indexInfo is what is kept of an index: the texts of its expressions, "" for a column, and its predicate.
type indexInfo struct {
	Exprs  []string
	Where  syntax.Expr
	Method string
	Elems  []syntax.IndexElem
}

func indexInfoOf(ix *storage.Index) indexInfo {
	info, _ := ix.Info.(indexInfo)
	if info.Exprs == nil {
		info.Exprs = make([]string, len(ix.Columns))
	}
	return info
}

// isBTree reports whether the index has an order.
func isBTree(ix *storage.Index) bool {
	m := indexInfoOf(ix).Method
	return m == "" || m == "btree"
}
