package storage

import (
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// object is what tables, indexes and sequences have in common: the parts of transactions that have created and dropped it.
type object struct {
	created, dropped *xact // nil if none has, or it was long ago
}

// Column is a column of a table.
type Column struct {
	Name    string
	Type    types.OID
	Mod     int32 // the type's modifier, -1 if it has none
	NotNull bool
	Info    any // the executor's: its default, its identity
	Dropped bool
}

// Table is a table. Its Info, and that of its columns and indexes, is shared with replicas, and must not lead to tables,
// indexes or sequences except by their names or OIDs; to change it, replace it in [Backend.AlterTable].
type Table struct {
	OID     uint32
	Schema  string
	Name    string
	Columns []*Column
	Indexes []*Index // in the order of their creation
	Info    any      // the executor's: checks, foreign keys, triggers

	object
	heap []*Tuple // in the order of their numbers
	last int64    // the last number
}

// Index is an index of a table.
type Index struct {
	OID     uint32
	Name    string
	Table   *Table
	Unique  bool
	Primary bool
	// Constraint is set if the index belongs to a constraint, PRIMARY KEY or UNIQUE, of its name.
	Constraint bool
	// Columns are the places of the columns that are the key, -1 for an expression. Uses are the places of all columns on
	// which the index depends: those of its key, its expressions and its predicate.
	Columns, Uses []int
	// Types are the types of the key's columns, Descending those that are in descending order, NullsFirst those whose
	// nulls are first. The latter two may be nil.
	Types      []types.OID
	Descending []bool
	NullsFirst []bool
	// Texts are the columns and expressions of the key as PostgreSQL shows them in errors. Partial is set if the index
	// has a predicate.
	Texts   []string
	Partial bool
	// Key returns the key of a row; it does not apply to rows that the index's predicate excludes. Replicas share it.
	Key  func(row []types.Value) (key []types.Value, applies bool, err error)
	Info any // the executor's

	object
	entries []entry // in their order
}

// isSeen reports whether a backend sees the object: its creation, and no drop, is committed or its own.
func (o *object) isSeen(b *Backend) bool {
	sees := func(x *xact) bool { return !x.isAborted() && (x.isCommitted() || x.txn == b.txn) }
	return (o.created == nil || sees(o.created)) && (o.dropped == nil || !sees(o.dropped))
}

// Lookup returns the table, or nil if the backend sees none of that name.
func (b *Backend) Lookup(schema, name string) *Table {
	for _, t := range b.db.tables {
		if t.Schema == schema && t.Name == name && t.isSeen(b) {
			return t
		}
	}
	return nil
}

// Open returns the table with that name, locked in a mode until the transaction ends; nil if there is none when the lock is
// granted.
func (b *Backend) Open(schema, name string, mode TableMode) (*Table, error) {
	for {
		t := b.Lookup(schema, name)
		if t == nil {
			return nil, nil
		}
		owner := b.txn.current()
		if err := b.LockTable(t, mode); err != nil {
			return nil, err
		}
		if b.Lookup(schema, name) == t {
			return t, nil
		}
		b.release(lockTag{table: t}, mode, owner)
	}
}

// Tables returns all tables that the backend sees, in the order of their OIDs.
func (b *Backend) Tables() (list []*Table) {
	for _, t := range b.db.tables {
		if t.isSeen(b) {
			list = append(list, t)
		}
	}
	return list
}

// LookupIndex returns the index of a table that the backend sees, or nil.
func (b *Backend) LookupIndex(schema, name string) *Index {
	for _, t := range b.Tables() {
		if t.Schema != schema {
			continue
		}
		if i := slices.IndexFunc(t.Indexes, func(ix *Index) bool { return ix.Name == name && ix.isSeen(b) }); i >= 0 {
			return t.Indexes[i]
		}
	}
	return nil
}

// named returns the objects of a name, seen or not, and whether each is a table.
func (db *Database) named(schema, name string) (list []*object, tables []bool) {
	for _, t := range db.tables {
		if t.Schema != schema {
			continue
		}
		if t.Name == name {
			list, tables = append(list, &t.object), append(tables, true)
		}
		for _, ix := range t.Indexes {
			o := &ix.object
			if t.dropped != nil {
				o = &t.object
			}
			if ix.Name == name {
				list, tables = append(list, o), append(tables, false)
			}
		}
	}
	for _, s := range db.sequences {
		if s.Schema == schema && s.Name == name {
			list, tables = append(list, &s.object), append(tables, false)
		}
	}
	return list, tables
}

// claimName waits until no other transaction is creating something of a name. The error is 42P07 if there is such a thing, and
// 23505 if it was committed during the wait: two CREATE TABLE IF NOT EXISTS at once.
func (b *Backend) claimName(schema, name string, table bool) error {
	waited := false
again:
	list, tables := b.db.named(schema, name)
	for i, o := range list {
		switch {
		case o.isSeen(b) && waited:
			return duplicateName(name, table && tables[i])
		case o.isSeen(b):
			return pgerror.New(pgerror.DuplicateTable, "relation %q already exists", name)
		case o.dropped == nil && o.created != nil && o.created.isRunning() && o.created.txn != b.txn:
			if err := b.waitFor(o.created, Place{Kind: PlaceOther}, ""); err != nil {
				return err
			}
			waited = true
			goto again
		}
	}
	return nil
}

// duplicateName is the error of the catalog's unique index.
func duplicateName(name string, table bool) error {
	catalog, index, prefix := "pg_class", "pg_class_relname_nsp_index", "rel"
	if table {
		catalog, index, prefix = "pg_type", "pg_type_typname_nsp_index", "typ"
	}
	err := pgerror.New(pgerror.UniqueViolation, "duplicate key value violates unique constraint %q", index).
		WithDetail("Key (%sname, %snamespace)=(%s, %d) already exists.", prefix, prefix, name, publicOID)
	err.Schema, err.Table, err.Constraint = "pg_catalog", catalog, index
	return err
}

// CreateTable adds a table: its schema, name, columns, and Info; indexes follow by CreateIndex. It is seen by others when the
// transaction has committed. If another transaction is creating one of the same name it waits for that to end.
func (b *Backend) CreateTable(t *Table) error {
	if err := b.claimName(t.Schema, t.Name, true); err != nil {
		return err
	}
	if t.OID == 0 {
		t.OID = b.db.nextOID()
	}
	t.created = b.writer()
	b.db.addTable(t)
	b.OnAbort(func() { b.db.removeTable(t) })
	b.txn.defines(t)
	return b.LockTable(t, AccessExclusive)
}

func (db *Database) addTable(t *Table) {
	db.tables = append(db.tables, t)
	byOID(db.tables, func(t *Table) uint32 { return t.OID })
}

func (db *Database) removeTable(t *Table) {
	db.tables = slices.DeleteFunc(db.tables, func(o *Table) bool { return o == t })
}

// defines notes that the transaction has created or changed a table.
func (t *Txn) defines(tab *Table) {
	t.redefines()
	if !slices.Contains(t.defined, tab) {
		t.defined = append(t.defined, tab)
	}
}

// DropTable drops a table, which the caller has locked with ACCESS EXCLUSIVE.
func (b *Backend) DropTable(t *Table) {
	b.deleteAll(t)
	t.dropped = b.writer()
	b.OnAbort(func() { t.dropped = nil })
	b.OnCommit(func() { b.db.removeTable(t) })
	b.txn.redefines()
	b.txn.dropped = append(b.txn.dropped, t)
}

// deleteAll notes that the transaction takes all rows of a table away, without marks on them.
func (b *Backend) deleteAll(t *Table) {
	s := &Snapshot{txn: b.txn, commits: b.db.commits, command: b.txn.commands + 1}
	for _, n := range t.heap {
		if s.Shows(n) {
			b.txn.ops = append(b.txn.ops, op{b.writer(), n, nil})
		}
	}
}

// AlterTable changes a table, which the caller has locked, by the function change. If convert is not nil, it replaces the
// values of each row. The change is undone if the transaction is rolled back. The table's columns are copies of what
// they were before; indexes that change are to be dropped and created.
func (b *Backend) AlterTable(t *Table, change func(), convert func(row []types.Value) ([]types.Value, error)) error {
	old := *t
	t.Columns = make([]*Column, len(old.Columns))
	for i, c := range old.Columns {
		own := *c
		t.Columns[i] = &own
	}
	t.Indexes = slices.Clone(old.Indexes)
	b.writer()
	change()
	b.txn.defines(t)
	b.OnAbort(func() {
		t.Schema, t.Name, t.Columns, t.Indexes, t.Info = old.Schema, old.Name, old.Columns, old.Indexes, old.Info
		t.rebuild()
	})
	if convert == nil {
		return nil
	}
	for _, n := range slices.Clone(t.heap) {
		row, err := convert(n.Row)
		if err != nil {
			return err
		}
		was := n.Row
		n.Row = row
		b.OnAbort(func() { n.Row = was })
	}
	t.rebuild()
	return nil
}

// rebuild makes the indexes anew. Their keys have been evaluated before, or CreateIndex does it.
func (t *Table) rebuild() {
	for _, ix := range t.Indexes {
		if ix.rebuild() != nil {
			ix.entries = nil
		}
	}
}

// CreateIndex adds an index to its table, and builds it. The error may be a duplicate key: 23505.
func (b *Backend) CreateIndex(ix *Index) error {
	t := ix.Table
	if err := b.claimName(t.Schema, ix.Name, false); err != nil {
		return err
	}
	if ix.OID == 0 {
		ix.OID = b.db.nextOID()
	}
	ix.created = b.writer()
	if err := ix.rebuild(); err != nil {
		return err
	}
	if err := ix.checkUnique(b); err != nil {
		return err
	}
	t.Indexes = append(slices.Clone(t.Indexes), ix)
	b.OnAbort(func() { t.removeIndex(ix) })
	b.txn.defines(t)
	return nil
}

func (t *Table) removeIndex(ix *Index) {
	t.Indexes = slices.DeleteFunc(slices.Clone(t.Indexes), func(o *Index) bool { return o == ix })
}

// DropIndex takes an index off its table, which the caller has locked with ACCESS EXCLUSIVE.
func (b *Backend) DropIndex(ix *Index) {
	t := ix.Table
	b.writer()
	t.removeIndex(ix)
	b.OnAbort(func() {
		t.Indexes = append(slices.Clone(t.Indexes), ix)
		t.rebuild()
	})
	b.txn.defines(t)
}

// Truncate removes all rows of a table, which the caller has locked with ACCESS EXCLUSIVE. As in PostgreSQL, older snapshots
// do not show them either.
func (b *Backend) Truncate(t *Table) {
	b.deleteAll(t)
	heap := t.heap
	t.heap = nil
	t.rebuild()
	b.OnAbort(func() {
		t.heap = heap
		t.rebuild()
	})
	b.txn.truncated = append(b.txn.truncated, t)
}
