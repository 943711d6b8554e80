package storage

import (
	"errors"
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// Snapshot shows the data as of a moment, and the changes that the transaction itself has made in earlier commands.
type Snapshot struct {
	txn     *Txn
	commits int64 // the last one that it shows
	command int   // it does not show changes of the transaction from this command on
	ended   bool  // a scan has ended early
}

// Snapshot returns the snapshot for a statement: a new one in READ COMMITTED, otherwise that of the transaction's first
// statement with the transaction's own changes since.
func (b *Backend) Snapshot() (*Snapshot, error) {
	t := b.txn
	s := &Snapshot{txn: t, commits: b.db.commits, command: t.commands}
	if t.snapshot == nil {
		if t.Level == Serializable {
			if t.Deferrable && t.ReadOnly {
				return nil, pgerror.Lacks("SERIALIZABLE READ ONLY DEFERRABLE")
			}
			t.serial = b.db.newSerial(t)
		}
		t.snapshot = s
	}
	if t.Level != ReadCommitted {
		s.commits = t.snapshot.commits
	}
	t.active = append(t.active, s)
	return s, nil
}

// LatestSnapshot returns a snapshot of what is committed now, at any level: for checks of foreign keys.
func (b *Backend) LatestSnapshot() *Snapshot {
	s := &Snapshot{txn: b.txn, commits: b.db.commits, command: b.txn.commands + 1}
	b.txn.active = append(b.txn.active, s)
	return s
}

// Hold keeps what a snapshot shows until the transaction ends: for a query that is read later.
func (b *Backend) Hold(s *Snapshot) { b.txn.held = append(b.txn.held, s) }

// shows reports whether a transaction's insertion or deletion is a part of the snapshot.
func (s *Snapshot) includes(x *xact, command int) bool {
	if x.isAborted() {
		return false
	}
	if x.txn == s.txn {
		return command < s.command
	}
	return x.txn.number > 0 && x.txn.number <= s.commits
}

// Shows reports whether the snapshot shows a tuple.
func (s *Snapshot) Shows(t *Tuple) bool {
	if t.dead || !s.includes(t.xmin, t.cmin) {
		return false
	}
	u := t.updater()
	return u == nil || !s.includes(u.by, t.cmax)
}

// codeOf returns the SQLSTATE of an error, "" if it has none.
func codeOf(err error) string {
	if e, is := errors.AsType[*pgerror.Error](err); is {
		return e.Code
	}
	return ""
}

// dead is a version of a row that was replaced or deleted by a commit.
type dead struct {
	tuple  *Tuple
	number int64
}

// horizon returns the number of the last commit that all snapshots show, and that no crash takes back.
func (db *Database) horizon() int64 {
	oldest := db.commits
	if len(db.unflushed) > 0 {
		oldest = min(oldest, db.unflushed[0].number-1)
	}
	for _, b := range db.backends {
		t := b.txn
		if t == nil {
			continue
		}
		if t.Level != ReadCommitted && t.snapshot != nil {
			oldest = min(oldest, t.snapshot.commits)
		}
		for _, s := range slices.Concat(t.active, t.held) {
			oldest = min(oldest, s.commits)
		}
	}
	return oldest
}

// purge removes versions of rows that no snapshot shows any more.
func (db *Database) purge() {
	oldest := db.horizon()
	for len(db.deads) > 0 && db.deads[0].number <= oldest {
		t := db.deads[0].tuple
		db.deads = db.deads[1:]
		if u := t.updater(); u != nil && u.by.txn.number > 0 && u.by.txn.number <= oldest {
			t.remove()
		}
	}
}
