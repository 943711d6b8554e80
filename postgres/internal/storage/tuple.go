package storage

import (
	"iter"

	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// Tuple is a version of a row.
type Tuple struct {
	// Row has the values. They must not be changed.
	Row []types.Value

	table *Table
}

// Table returns the tuple's table.
func (t *Tuple) Table() *Table { panic("not yet") }

// CTID returns the place of the tuple in its table, as "(0,1)".
func (t *Tuple) CTID() string { panic("not yet") }

// Xmin and Xmax return the numbers of the transactions that have written the tuple, and that have deleted, replaced or
// locked it; 0 if none has.
func (t *Tuple) Xmin() int64 { panic("not yet") }

// Xmax is described with Xmin.
func (t *Tuple) Xmax() int64 { panic("not yet") }

// Scan returns the tuples of a table that a snapshot shows, in the order of their places.
func (t *Table) Scan(s *Snapshot) iter.Seq[*Tuple] { panic("not yet") }

// Range is a range of an index's keys.
type Range struct {
	// Equal are values for the first columns of the key.
	Equal []types.Value
	// Low and High bound the column after those; nil means no bound. They include values equal to them unless they are
	// open.
	Low, High         *types.Value
	OpenLow, OpenHigh bool
	// Nulls asks for rows in which the column after those of Equal is null, NotNull for those in which it is not. Without
	// bounds and these all are meant.
	Nulls, NotNull bool
	Backward       bool
}

// Scan returns the tuples in a range of the index that a snapshot shows, in the order of the index; those with equal keys in
// the order of their places. Rows to which the index does not apply are not among them.
func (ix *Index) Scan(s *Snapshot, r Range) iter.Seq[*Tuple] { panic("not yet") }

// RowMode is a mode of a lock on a row.
type RowMode uint8

// The modes, from the weakest.
const (
	KeyShare RowMode = iota
	Share
	NoKeyUpdate
	Update
)

// WaitPolicy is what a statement does about a row that another has locked.
type WaitPolicy uint8

// The policies.
const (
	Block      WaitPolicy = iota
	Nowait                // fails with 55P03
	SkipLocked            // skips it
)

// Outcome is the outcome of a lock or a change of a tuple.
type Outcome uint8

// The outcomes.
const (
	// Done: the tuple is locked, or changed.
	Done Outcome = iota
	// Updated: another transaction has replaced the tuple; its newest version is locked now. The statement must check its
	// conditions again with that.
	Updated
	// Deleted: another transaction has deleted the tuple.
	Deleted
	// Skipped: it is locked, and the policy is SkipLocked.
	Skipped
	// SelfModified: the transaction itself has changed the tuple since the snapshot: the statement leaves it alone.
	SelfModified
)

// LockRow locks a tuple that a snapshot has shown, or waits for it.
func (b *Backend) LockRow(s *Snapshot, t *Tuple, mode RowMode, policy WaitPolicy) (newest *Tuple, o Outcome, err error) {
	panic("not yet")
}

// LockConflict locks the tuple that an insertion has met, for ON CONFLICT DO UPDATE. The outcome is Updated or Deleted, without a
// lock, if the insertion must be tried again. The error is 21000 if the statement itself has written the tuple.
func (b *Backend) LockConflict(s *Snapshot, t *Tuple) (o Outcome, err error) { panic("not yet") }

// Insert adds a row. The error is 23505 if a unique index has one of its keys; it waits for other transactions that have
// inserted or deleted one.
func (b *Backend) Insert(t *Table, row []types.Value) (*Tuple, error) { panic("not yet") }

// InsertUnless adds a row, unless one of the arbiters has a row with its key: then it returns that as the conflict. It waits for
// other transactions that have inserted one. Arbiters are the unique indexes of an ON CONFLICT; without any, all are.
// DoNothing is set for ON CONFLICT DO NOTHING: in REPEATABLE READ, a conflict with a row that the snapshot does not show is
// an error, 40001.
func (b *Backend) InsertUnless(s *Snapshot, t *Table, row []types.Value, arbiters []*Index, doNothing bool) (added, conflict *Tuple, err error) {
	panic("not yet")
}

// Update replaces a tuple by a row. If the outcome is Updated, the newest version is locked and nothing was changed: the
// statement checks its conditions again and calls Update for that.
func (b *Backend) Update(s *Snapshot, t *Tuple, row []types.Value) (newest *Tuple, o Outcome, err error) {
	panic("not yet")
}

// Delete deletes a tuple. If the outcome is Updated, the newest version is locked and nothing was changed.
func (b *Backend) Delete(s *Snapshot, t *Tuple) (newest *Tuple, o Outcome, err error) {
	panic("not yet")
}
