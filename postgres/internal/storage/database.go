package storage

import (
	"slices"
)

// Database is the data of one server, with the backends that use it. Its [Host] must call
// [Database.Settle] at the end of each event.
type Database struct {
	host     Host
	backends []*Backend // in the order in which they were made
	made     int        // how many
	awakened []*Backend // whose waits are over

	tables    []*Table    // in the order of their OIDs
	sequences []*Sequence // likewise
	oid       uint32      // the last one
	xid       int64       // the last number of a transaction
	token     int64       // the last one of a speculative insertion

	locks map[lockTag]*lock

	commits   int64       // so far
	unflushed []*Txn      // commits that a crash loses, in their order
	recovers  []*Txn      // commits that wait for Recover
	deads     []dead      // versions of rows to remove, when no snapshot shows them
	serials   []*serial   // serializable transactions, those that have committed too
	serialNo  int64       // the last number of such a commit
	logged    []*Sequence // whose state was logged since the last commit
	revision  int64       // grows with each commit and each lock that is reported
	held      map[heldKey]*held
	taken     []*held // which was not reported yet

	definitions int64 // grows with each change of a definition
	defining    int   // how many transactions that change some are under way
	plans       any   // the executor's
}

// The first numbers are those of a new PostgreSQL 15.
const (
	firstOID    = 16384
	firstXID    = 732
	databaseOID = 5
	publicOID   = 2200
)

// NewDatabase returns an empty database.
func NewDatabase(h Host) *Database {
	return &Database{host: h, oid: firstOID - 1, xid: firstXID - 1, locks: map[lockTag]*lock{}, held: map[heldKey]*held{}}
}

// Settle continues the statements whose waits are over, in the order in which they ended, and reports the
// locks taken in the event.
func (db *Database) Settle() {
	for len(db.awakened) > 0 {
		b := db.awakened[0]
		db.awakened = db.awakened[1:]
		b.woken = false
		if b.parked && !b.closed {
			b.client.Resume()
		}
	}
	db.reportTaken()
}

// Crash ends all backends at once, as the end of the server's process does. Nobody gets what another has had. Commits that
// were not flushed are lost, and their rows are reported as dropped. Commits that wait for the host are kept until
// [Database.Recover].
func (db *Database) Crash(end *Ending) {
	list := db.backends
	for _, b := range list {
		b.stopWaiting()
		b.closed = true
	}
	for _, b := range list {
		if t := b.txn; t != nil && t.ships {
			db.recovers = append(db.recovers, t)
			t.release(end)
			b.txn = nil
		}
		b.Abort(end)
		b.releaseSession(end)
	}
	db.backends, db.awakened, db.taken = nil, nil, nil
	db.locks, db.serials, db.plans = map[lockTag]*lock{}, nil, nil
	db.lose()
	for _, s := range db.sequences {
		s.crash()
	}
}

// Recover completes the commits that waited for the host when the server crashed.
func (db *Database) Recover() {
	list := db.recovers
	db.recovers = nil
	for _, t := range list {
		db.commit(t)
	}
	db.purge()
}

// Flush makes the commits so far durable: those of [Backend.CommitAsync].
func (db *Database) Flush() {
	db.flushed()
	db.purge()
}

func (db *Database) flushed() {
	for _, t := range db.unflushed {
		t.ops = nil
	}
	db.unflushed = nil
}

// lose takes back the commits that were not flushed.
func (db *Database) lose() {
	if len(db.unflushed) == 0 {
		return
	}
	before := db.contents()
	for _, t := range db.unflushed {
		t.number = 0
		t.top().aborted = true
		for _, o := range t.ops {
			if o.now != nil {
				o.now.remove()
			}
		}
	}
	db.unflushed = nil
	db.reportLoss(before, db.contents())
}

// NextRevision returns a number that grows with each commit and each lock that is reported.
func (db *Database) NextRevision() int64 {
	db.revision++
	return db.revision
}

// Backends returns the backends, in the order in which they were made.
func (db *Database) Backends() []*Backend { return slices.Clone(db.backends) }

func (db *Database) nextOID() uint32 {
	db.oid++
	return db.oid
}
