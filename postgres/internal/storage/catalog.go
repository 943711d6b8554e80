package storage

import "github.com/lockpick-dev/lockpick/postgres/internal/types"

// Column is a column of a table.
type Column struct {
	Name    string
	Type    types.OID
	Mod     int32 // the type's modifier, -1 if it has none
	NotNull bool
	Info    any // the executor's: its default, its identity
	Dropped bool
}

// Table is a table.
type Table struct {
	OID     uint32
	Schema  string
	Name    string
	Columns []*Column
	Indexes []*Index // in the order of their creation
	Info    any      // the executor's: checks, foreign keys, triggers

	db *Database
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
	// Key returns the key of a row; it does not apply to rows that the index's predicate excludes.
	Key  func(row []types.Value) (key []types.Value, applies bool, err error)
	Info any // the executor's
}

// Sequence is a sequence.
type Sequence struct {
	OID       uint32
	Schema    string
	Name      string
	Type      types.OID
	Start     int64
	Increment int64
	Min, Max  int64
	Cycle     bool
	Info      any // the executor's: the column that owns it
}

// Lookup returns the table, or nil if the backend sees none of that name.
func (b *Backend) Lookup(schema, name string) *Table { panic("not yet") }

// Open returns the table with that name, locked in a mode until the transaction ends; nil if there is none when the lock is
// granted.
func (b *Backend) Open(schema, name string, mode TableMode) (*Table, error) { panic("not yet") }

// Tables returns all tables that the backend sees, in the order of their OIDs.
func (b *Backend) Tables() []*Table { panic("not yet") }

// CreateTable adds a table: its schema, name, columns, and Info; indexes follow by CreateIndex. It is seen by others when the
// transaction has committed. If another transaction is creating one of the same name it waits for that to end.
func (b *Backend) CreateTable(t *Table) error { panic("not yet") }

// DropTable drops a table, which the caller has locked with ACCESS EXCLUSIVE.
func (b *Backend) DropTable(t *Table) { panic("not yet") }

// AlterTable changes a table, which the caller has locked, by the function change. If convert is not nil, it replaces the
// values of each row. The change is undone if the transaction is rolled back.
func (b *Backend) AlterTable(t *Table, change func(), convert func(row []types.Value) ([]types.Value, error)) error {
	panic("not yet")
}

// CreateIndex adds an index to its table, and builds it. The error may be a duplicate key: 23505.
func (b *Backend) CreateIndex(ix *Index) error { panic("not yet") }

// DropIndex takes an index off its table.
func (b *Backend) DropIndex(ix *Index) { panic("not yet") }

// LookupIndex returns the index of a table that the backend sees, or nil.
func (b *Backend) LookupIndex(schema, name string) *Index { panic("not yet") }

// Truncate removes all rows of a table, which the caller has locked with ACCESS EXCLUSIVE.
func (b *Backend) Truncate(t *Table) { panic("not yet") }

// CreateSequence adds a sequence.
func (b *Backend) CreateSequence(s *Sequence) error { panic("not yet") }

// DropSequence drops a sequence.
func (b *Backend) DropSequence(s *Sequence) { panic("not yet") }

// LookupSequence returns a sequence that the backend sees, or nil.
func (b *Backend) LookupSequence(schema, name string) *Sequence { panic("not yet") }

// Sequences returns all sequences that the backend sees, in the order of their OIDs.
func (b *Backend) Sequences() []*Sequence { panic("not yet") }

// NextValue returns the sequence's next number. It is not taken back with the transaction.
func (b *Backend) NextValue(s *Sequence) (int64, error) { panic("not yet") }

// SetValue sets the sequence's last number. If it was not called, the next number is that one.
func (b *Backend) SetValue(s *Sequence, value int64, called bool) error { panic("not yet") }

// CurrentValue returns the number that the backend last got from a sequence: currval. The error is 55000 if it got none.
func (b *Backend) CurrentValue(s *Sequence) (int64, error) { panic("not yet") }

// LastValue returns the number that the backend last got from any sequence: lastval. The error is 55000 if it got none.
func (b *Backend) LastValue() (int64, error) { panic("not yet") }

// State returns the last number of the sequence, and whether it was given to anyone.
func (s *Sequence) State() (last int64, called bool) { panic("not yet") }
