package storage

import (
	"errors"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// Backend is a session's place in a database: its transaction, its locks, and what it waits for.
type Backend struct {
	// LockTimeout ends each wait for a lock; 0 means never. DeadlockTimeout is how long a wait lasts before deadlocks are
	// searched; the default is a second.
	LockTimeout, DeadlockTimeout time.Duration
	// Doomed is set by a fault: the next request for a lock that the backend does not have ends in a deadlock.
	Doomed bool

	db      *Database
	id      int // its number, from 3 as in a new server
	local   int // how many transactions it has begun
	client  Client
	pid     int32
	txn     *Txn
	closed  bool
	held    []*holding // its locks, in the order of the first requests
	waits   *wait      // nil unless its statement waits for a lock
	parked  bool       // its statement waits
	woken   bool       // it is to go on when the event is settled
	ships   *shipping  // nil unless its commit waits for the host
	ending  *Ending
	place   Place  // of the row that it waits for, if any
	context string // of an error in that wait

	numbers map[*Sequence]int64 // the last number from each
	last    *Sequence           // that gave a number
}

// NewBackend returns a backend of a session. PID is its process id.
func (db *Database) NewBackend(c Client, pid int32) *Backend {
	db.made++
	b := &Backend{db: db, id: db.made + 2, client: c, pid: pid, DeadlockTimeout: time.Second, numbers: map[*Sequence]int64{}}
	db.backends = append(db.backends, b)
	return b
}

// Client returns the backend's session.
func (b *Backend) Client() Client { return b.client }

// PID returns the backend's process id.
func (b *Backend) PID() int32 { return b.pid }

// Close ends the backend: its transaction is rolled back, and its session's advisory locks are given up. The session must not
// resume its statement any more. A commit that waits for the host is completed.
func (b *Backend) Close(end *Ending) {
	if b.closed {
		return
	}
	b.cancel(nil)
	b.closed = true
	if t := b.txn; t != nil && t.ships {
		b.db.commit(t)
		t.release(end)
		b.txn = nil
	}
	b.Abort(end)
	b.releaseSession(end)
	b.db.backends = slices.DeleteFunc(b.db.backends, func(o *Backend) bool { return o == b })
}

// releaseSession gives up the session's locks.
func (b *Backend) releaseSession(end *Ending) {
	b.ending = end
	b.releaseAll(func(*holding, *xact) bool { return true })
	b.ending = nil
}

// Wake lets a statement that waits go on when the event is settled.
func (b *Backend) Wake() {
	if b.ships != nil {
		b.ships.done = true
	}
	b.wake()
}

func (b *Backend) wake() {
	if !b.woken {
		b.woken = true
		b.db.awakened = append(b.db.awakened, b)
	}
}

// park suspends the statement until it is resumed.
func (b *Backend) park(why string) error {
	if b.closed {
		return errClosed
	}
	b.parked = true
	err := b.client.Park(why)
	b.parked = false
	if err == nil && b.closed {
		err = errClosed
	}
	return err
}

// errClosed ends a statement that was suspended when its backend ended.
var errClosed = errors.New("the backend has ended")

// Interrupt ends the present wait with an error: a statement that is cancelled or timed out, a backend that is terminated.
// It reports false, and does nothing, if the backend's statement does not wait in this package.
func (b *Backend) Interrupt(err error) bool {
	switch {
	case b.waits != nil:
		b.cancel(err)
	case b.ships != nil:
		b.ships.err = err
		b.wake()
	default:
		return false
	}
	return true
}

// Deadlock makes the present wait for a lock end as if others were in a circle with the backend; if it does not wait, its next
// request for a lock that it does not have.
func (b *Backend) Deadlock() {
	if b.waits == nil {
		b.Doomed = true
		return
	}
	b.client.Deadlocked([]*Backend{b})
	b.cancel(deadlockError(nil))
}

// Waiting reports whether the backend's statement waits, and the type and name of the wait, as pg_stat_activity has them.
func (b *Backend) Waiting() (kind, event string, waits bool) {
	switch {
	case b.waits != nil:
		return "Lock", b.waits.lock.tag.event(), true
	case b.ships != nil:
		return "IPC", "SyncRep", true
	}
	return "", "", false
}

// BlockedBy returns the process ids of those who keep the backend from the lock that it waits for: pg_blocking_pids.
func (b *Backend) BlockedBy() (pids []int32) {
	if b.waits == nil || b.waits.granted {
		return nil
	}
	l, conflicting := b.waits.lock, conflicts[b.waits.mode]
	for _, h := range l.holdings {
		if h.backend != b && h.mask()&conflicting != 0 {
			pids = append(pids, h.backend.pid)
		}
	}
	for _, o := range l.queue {
		if o == b {
			break
		}
		if o.waits.mode.bit()&conflicting != 0 {
			pids = append(pids, o.pid)
		}
	}
	return pids
}

// inContext adds the context of the wait to an error.
func (b *Backend) inContext(err error) error {
	e, is := errors.AsType[*pgerror.Error](err)
	if !is || e.Where != "" || b.context == "" {
		return err
	}
	c := *e
	c.Where = b.context
	return &c
}
