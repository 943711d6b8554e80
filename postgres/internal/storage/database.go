package storage

import (
	"time"

	"github.com/lockpick-dev/lockpick/sim/sql"
)

// Database is the data of one server, with the backends that use it. Its [Host] must call
// [Database.Settle] at the end of each event.
type Database struct {
	host Host
}

// NewDatabase returns an empty database.
func NewDatabase(h Host) *Database { panic("not yet") }

// Settle continues the statements whose waits are over, in the order in which they ended, and reports the
// locks taken in the event.
func (db *Database) Settle() { panic("not yet") }

// Crash ends all backends at once, as the end of the server's process does. Nobody gets what another has had. Commits that
// were not flushed are lost, and their rows are reported as dropped or changed. Commits that wait for the host are kept until
// [Database.Recover].
func (db *Database) Crash(end *sql.Ending) { panic("not yet") }

// Recover completes the commits that waited for the host when the server crashed.
func (db *Database) Recover() { panic("not yet") }

// Flush makes the commits so far durable: those of [Backend.CommitAsync].
func (db *Database) Flush() { panic("not yet") }

// NextRevision returns a number that grows with each commit and each lock that is reported.
func (db *Database) NextRevision() int64 { panic("not yet") }

// Backends returns the backends, in the order in which they were made.
func (db *Database) Backends() []*Backend { panic("not yet") }

// Backend is a session's place in a database: its transaction, its locks, and what it waits for.
type Backend struct {
	// LockTimeout ends each wait for a lock; 0 means never. DeadlockTimeout is how long a wait lasts before deadlocks are
	// searched; the default is a second.
	LockTimeout, DeadlockTimeout time.Duration
	// Doomed is set by a fault: the backend's next request for a lock that it does not have ends in a deadlock.
	Doomed bool
}

// NewBackend returns a backend of a session. PID is its process id.
func (db *Database) NewBackend(c Client, pid int32) *Backend { panic("not yet") }

// Client returns the backend's session.
func (b *Backend) Client() Client { panic("not yet") }

// PID returns the backend's process id.
func (b *Backend) PID() int32 { panic("not yet") }

// Close ends the backend: its transaction is rolled back, and its session's advisory locks are given up. The session must not
// resume its statement any more. A commit that waits for the host is completed.
func (b *Backend) Close(end *sql.Ending) { panic("not yet") }

// Wake lets a statement that waits go on when the event is settled.
func (b *Backend) Wake() { panic("not yet") }

// Interrupt ends the present wait with an error: a statement that is cancelled or timed out, a backend that is terminated.
// It reports false, and does nothing, if the backend's statement does not wait in this package.
func (b *Backend) Interrupt(err error) bool { panic("not yet") }

// Waiting reports whether the backend's statement waits, and the type and name of the wait, as pg_stat_activity has them.
func (b *Backend) Waiting() (kind, event string, waits bool) { panic("not yet") }

// BlockedBy returns the process ids of those who keep the backend from the lock that it waits for: pg_blocking_pids.
func (b *Backend) BlockedBy() []int32 { panic("not yet") }
