package sql

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// Host is the server that a database is a part of.
type Host interface {
	// Now returns the time by the server's clock.
	Now() time.Time
	// Stamp returns the present place in the run.
	Stamp() model.Stamp
	// After calls fire after a while, unless the timer is stopped before, and settles the database
	// then. What is the text of that event.
	After(d time.Duration, what string, fire func()) Timer
	// IsReadOnly reports whether clients may not write.
	IsReadOnly() bool
	// Ship is called before a commit takes effect. It reports whether the commit has to wait until [Session.Wake].
	Ship(t *Txn) (waits bool)
	// Defined is called when tables themselves were changed for a client.
	Defined(by Watcher, d Definition)
	// Changed is called when the committed row is another one.
	Changed(c RowChange)
}

// owner is the session of a transaction, which waits for locks.
type owner interface {
	wake()
	resume()
	abort(err error)
	forget()
	isDoomed() bool
	clockRead() model.Stamp
	lockTimeout(p Patience) time.Duration
	waitFor(d time.Duration, what string, over func())
}

// Timer is a time that a host waits for.
type Timer interface {
	// Stop ends it, if it has not fired.
	Stop()
}

// Watcher is notified of what happens to a session's transactions, and to its locks on rows.
type Watcher interface {
	// Origin returns the origin of what the session does now.
	Origin() model.Origin
	// Began and Ended are called for transactions that are more than one statement.
	Began(t *Txn)
	Ended(t *Txn, committed bool)
	// Waits is called when the statement begins to wait for a lock on a row or a table, and Waited when it has the lock, or gives up.
	Waits(place Place)
	Waited(granted bool)
	// Refused is called instead if the wait would be part of a deadlock: of these sessions each waits for
	// the next, and this one is the first.
	Refused(circle []Watcher)
	// Deadlocked is called before a transaction is ended because of a deadlock.
	Deadlocked()
	// Locked is called when an event is settled in which the session has locked a row exclusively, and when LOCK TABLES
	// has locked a table so; Unlocked when it has given that up. Since is the revision of the lock, and got the request
	// which has it. End is nil if the session goes on.
	Locked(place Place, since int64, got model.Origin)
	Unlocked(place Place, since int64, got model.Origin, end *Ending)
}

// Place is what is locked: a row, by its primary key, the gap behind all rows of an index, without a key, or the whole
// table.
type Place struct {
	Table string
	Key   []Value
	Whole bool
}

// Ending is how locks end.
type Ending struct {
	Kind   model.ObservationKind // RecordDeleted if it is not set
	By     model.Origin
	Broken bool // by the network
}

// RowChange is what has become of a committed row.
type RowChange struct {
	// Kind is RecordCreated, RecordChanged, RecordDeleted or RecordDropped: the server has lost it.
	Kind    model.ObservationKind
	Table   string
	Columns []*Column
	Key     []Value // the primary one
	Values  []Value // of what is gone, as it was
	Created int64   // the revision at which it was created
	// Owner is the request that has written the values, OldOwner that of those before, By the one that
	// has committed.
	Owner, OldOwner, By model.Origin
	// ClockRead is when the transaction last read the server's clock before it wrote the values; zero if
	// it did not, or if another server has written them.
	ClockRead model.Stamp
}

// Definition is a change of the tables themselves.
type Definition struct {
	drop   string // the table to drop first; empty if there is none
	like   *table // the table to create, as far as it is defined; nil if there is none
	number int64  // the last number of the column that counts in that
	by     model.Origin
}
