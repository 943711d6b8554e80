package sql

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// Host is the server of a database.
type Host interface {
	// Now returns the time by the server's clock.
	Now() time.Time
	// Stamp returns the present place in the run.
	Stamp() model.Stamp
	// After calls fire after d, unless the timer is stopped before, and then settles the database.
	// What is the text of the event.
	After(d time.Duration, what string, fire func()) Timer
	// IsReadOnly reports whether clients may not write.
	IsReadOnly() bool
	// Ship is called before a commit takes effect. It reports whether the commit must wait until [Session.Wake].
	Ship(t *Txn) (waits bool)
	// Defined is called when a client's statement has defined or dropped tables.
	Defined(by Watcher, d Definition)
	// Changed is called when a committed row has changed.
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
	// Stop stops the timer, if it has not fired.
	Stop()
}

// Watcher is notified of events of a session's transactions, and of its locks.
type Watcher interface {
	// Origin returns the origin of the session's present changes.
	Origin() model.Origin
	// Began and Ended are called for transactions of more than one statement.
	Began(t *Txn)
	Ended(t *Txn, committed bool)
	// Waits is called when a statement begins to wait for a lock on a row or a table, and Waited when it gets the lock,
	// or gives up.
	Waits(place Place)
	Waited(granted bool)
	// Refused is called instead of Waits if the wait would be part of a deadlock. In the circle each
	// session waits for the next; this one is the first.
	Refused(circle []Watcher)
	// Deadlocked is called before a transaction is ended because of a deadlock.
	Deadlocked()
	// Locked is called at the end of an event in which the session has locked a row exclusively, or LOCK TABLES a
	// table; Unlocked when it has given up such a lock. Since is the revision of the lock, and got the request that got
	// it. End is nil if the session goes on.
	Locked(place Place, since int64, got model.Origin)
	Unlocked(place Place, since int64, got model.Origin, end *Ending)
}

// Place is the place of a lock: a row, by its primary key; without a key, the gap after all rows of an index; or the
// whole table.
type Place struct {
	Table string
	Key   []Value
	Whole bool
}

// Ending describes the end of locks with their session.
type Ending struct {
	Kind   model.ObservationKind // RecordDeleted if it is not set
	By     model.Origin
	Broken bool // by the network
}

// RowChange is a change of a committed row.
type RowChange struct {
	// Kind is RecordCreated, RecordChanged, RecordDeleted or RecordDropped: the server has lost it.
	Kind    model.ObservationKind
	Table   string
	Columns []*Column
	Key     []Value // the primary one
	Values  []Value // the last ones of a row that is gone
	Created int64   // the revision at which it was created
	// Owner is the request that wrote the values, OldOwner the one that wrote the values before, and
	// By the one that committed.
	Owner, OldOwner, By model.Origin
	// ClockRead is when the transaction last read the server's clock before it wrote the values; zero if
	// it did not, or if another server has written them.
	ClockRead model.Stamp
}

// Definition is the definition or the drop of a table.
type Definition struct {
	drop   string // the table to drop first; empty if there is none
	like   *table // the table to create, as far as it is defined; nil if there is none
	number int64  // the last number of the column that counts in that
	by     model.Origin
}
