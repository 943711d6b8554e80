package storage

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
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
	// Ship is called before a commit takes effect, with its changes, unless the log has nothing of the transaction. It reports
	// whether the commit must wait until [Backend.Wake].
	Ship(b *Backend, c *Changes) (waits bool)
	// Changed is called when a committed row has changed.
	Changed(c RowChange)
}

// Timer is a time that a host waits for.
type Timer interface {
	// Stop stops the timer, if it has not fired.
	Stop()
}

// Ending describes the end of locks with their session.
type Ending struct {
	Kind   model.ObservationKind // RecordDeleted if it is not set
	By     model.Origin
	Broken bool // by the network
}

// Client is the session of a backend.
type Client interface {
	// Origin returns the origin of the session's present changes.
	Origin() model.Origin
	// ClockRead returns when the session's transaction last read the server's clock; zero if it did not.
	ClockRead() model.Stamp
	// Park suspends the statement, until [Client.Resume] is called. Its error, if the statement is not to go on, ends the
	// wait. Why is PostgreSQL's name of the wait: "Lock", "SyncRep" or another type of pg_stat_activity.
	Park(why string) error
	// Resume continues the statement that is suspended. [Database.Settle] calls it.
	Resume()
	// Notice sends a notice or a warning.
	Notice(e *pgerror.Error)
	// Waits is called when a statement begins to wait for a lock at a place, and Waited when it gets the lock,
	// or gives up.
	Waits(place Place)
	Waited(granted bool)
	// Deadlocked is called before a statement fails because of a deadlock. In the circle each backend waits for the next;
	// this one is the first.
	Deadlocked(circle []*Backend)
	// Locked is called at the end of an event in which the session has got a lock that is observed; Unlocked when it has
	// given up such a lock. Since is the revision of the lock, and got the request that got it. End is nil if the
	// session's transaction or statement has given it up by itself.
	Locked(place Place, since int64, got model.Origin)
	Unlocked(place Place, since int64, got model.Origin, end *Ending)
}

// Place is the place of a lock: a table, a row of it, or the key of an advisory lock.
type Place struct {
	Kind     PlaceKind
	Table    *Table
	Key      []types.Value // of a row: the values of the table's primary key; its number, if it has none
	Advisory AdvisoryKey
}

// PlaceKind is the kind of a [Place].
type PlaceKind uint8

// The kinds of places.
const (
	PlaceRow      PlaceKind = iota // a row is locked exclusively: FOR UPDATE, FOR NO KEY UPDATE, or by a change
	PlaceTable                     // LOCK TABLE has locked a table in a mode from EXCLUSIVE
	PlaceAdvisory                  // an advisory lock is held exclusively
	PlaceOther                     // something else that is waited for: a transaction, a table that statements use
)

// RowChange is a change of a committed row.
type RowChange struct {
	// Kind is RecordCreated, RecordChanged, RecordDeleted or RecordDropped: the server has lost it.
	Kind    model.ObservationKind
	Table   *Table
	Key     []types.Value // of the primary key, or the row's number
	Values  []types.Value // the last ones of a row that is gone
	Created int64         // the revision at which it was created
	// Owner is the request that wrote the values, OldOwner the one that wrote the values before, and
	// By the one that committed.
	Owner, OldOwner, By model.Origin
	// ClockRead is when the transaction last read the server's clock before it wrote the values; zero if
	// it did not, or if another server has written them.
	ClockRead model.Stamp
}
