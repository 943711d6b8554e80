package storage

import "github.com/lockpick-dev/lockpick/sim/sql"

// Isolation is an isolation level.
type Isolation uint8

// The isolation levels. READ UNCOMMITTED is READ COMMITTED.
const (
	ReadCommitted Isolation = iota
	RepeatableRead
	Serializable
)

// Characteristics are those of a transaction.
type Characteristics struct {
	Level      Isolation
	ReadOnly   bool
	Deferrable bool
}

// Txn is a transaction.
type Txn struct {
	// Characteristics may be changed before the first snapshot.
	Characteristics
}

// Begin begins a transaction.
func (b *Backend) Begin(c Characteristics) *Txn { panic("not yet") }

// Txn returns the backend's transaction, or nil. One that has failed stays until Abort.
func (b *Backend) Txn() *Txn { panic("not yet") }

// ID returns the transaction's number, pg_current_xact_id, and assigns one if it has none; CurrentID returns 0 then.
func (t *Txn) ID() int64        { panic("not yet") }
func (t *Txn) CurrentID() int64 { panic("not yet") }

// HasSnapshot reports whether the transaction has had a snapshot.
func (t *Txn) HasSnapshot() bool { panic("not yet") }

// Failed reports whether a statement has failed, so that the transaction accepts only its end or a return to a savepoint.
func (t *Txn) Failed() bool { panic("not yet") }

// Commit makes the transaction's changes visible to all. It may wait for the host; if that wait is interrupted the transaction
// is committed all the same, with a warning. An error means that the transaction was rolled back.
func (b *Backend) Commit() error { panic("not yet") }

// CommitAsync is Commit without a wait for the host or the disk: synchronous_commit = off.
func (b *Backend) CommitAsync() error { panic("not yet") }

// Abort rolls the transaction back, if there is one.
func (b *Backend) Abort(end *sql.Ending) { panic("not yet") }

// Fail rolls back what an error takes back: the changes and locks since the last savepoint, or all if there is none.
// The transaction goes on as one that has failed. Without a block, call Abort.
func (b *Backend) Fail() { panic("not yet") }

// Savepoint defines a savepoint.
func (b *Backend) Savepoint(name string) { panic("not yet") }

// RollbackTo returns to a savepoint. The error is 3B001 if there is none of that name.
func (b *Backend) RollbackTo(name string) error { panic("not yet") }

// Release forgets a savepoint and those after it. The error is 3B001 if there is none of that name.
func (b *Backend) Release(name string) error { panic("not yet") }

// NextCommand ends a statement, or a part of one whose effects the next part is to see.
func (b *Backend) NextCommand() { panic("not yet") }

// OnCommit calls f when the transaction has committed, unless the savepoint in which it is now is rolled back.
func (b *Backend) OnCommit(f func()) { panic("not yet") }

// OnAbort calls f when the transaction, or the savepoint in which it is now, is rolled back; the last such function first.
func (b *Backend) OnAbort(f func()) { panic("not yet") }

// Snapshot shows the data as of a moment, and the changes that the transaction itself has made in earlier commands.
type Snapshot struct {
	txn *Txn
}

// Snapshot returns the snapshot for a statement: a new one in READ COMMITTED, otherwise that of the transaction's first
// statement with the transaction's own changes since.
func (b *Backend) Snapshot() (*Snapshot, error) { panic("not yet") }

// LatestSnapshot returns a snapshot of what is committed now, at any level: for checks of foreign keys.
func (b *Backend) LatestSnapshot() *Snapshot { panic("not yet") }
