package storage

import (
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// serial is a serializable transaction, as PostgreSQL's predicate locks have it: what it has read, and its read/write
// conflicts with others. It is kept after its commit, while a transaction goes on that was open at the same time.
type serial struct {
	db       *Database
	txn      *Txn
	readOnly bool // it has committed without a change, or was begun as read only

	tables  map[*Table]bool // that it has read as a whole
	indexes map[*Index]bool // each of which counts as one page
	pages   map[page]bool
	tuples  map[*Tuple]bool

	out, in []*serial // out: they have changed what it has read; in: it has changed what they have read

	wrote, doomed, prepared, committed bool
	// conflictOut is set if it has a conflict out to one that committed before it, of which earliestOut is the first.
	conflictOut bool
	earliestOut int64
	// The numbers of its commit, and the last one before its snapshot.
	preparedNo, committedNo, lastNo int64
}

// page is a page of a table.
type page struct {
	table  *Table
	number int64
}

// tuplesUntilPage is how many rows of a page a transaction reads before it counts as one that has read the page:
// max_pred_locks_per_page.
const tuplesUntilPage = 2

func (db *Database) newSerial(t *Txn) *serial {
	s := &serial{db: db, txn: t, readOnly: t.ReadOnly, lastNo: db.serialNo,
		tables: map[*Table]bool{}, indexes: map[*Index]bool{}, pages: map[page]bool{}, tuples: map[*Tuple]bool{}}
	db.serials = append(db.serials, s)
	return s
}

// unserializable is the error of a transaction that cannot be put into an order with others.
func unserializable(reason string) error {
	return pgerror.New(pgerror.SerializationFailure, "could not serialize access due to read/write dependencies among transactions").
		WithDetail("Reason code: %s.", reason).WithHint("The transaction might succeed if retried.")
}

// readTable, readIndex and readTuple note what the transaction reads.
func (s *Snapshot) readTable(t *Table) {
	if r := s.txn.serial; r != nil {
		r.tables[t] = true
	}
}

func (s *Snapshot) readIndex(ix *Index) {
	if r := s.txn.serial; r != nil {
		r.indexes[ix] = true
	}
}

func (s *Snapshot) readTuple(t *Tuple) {
	r, p := s.txn.serial, page{t.table, t.page()}
	if r == nil || t.xmin.txn == s.txn || r.tables[t.table] || r.pages[p] {
		return
	}
	r.tuples[t] = true
	count := 0
	for o := range r.tuples { // unordered: they are counted
		if o.table == t.table && o.page() == p.number {
			count++
		}
	}
	if count > tuplesUntilPage {
		r.pages[p] = true
	}
}

// has reports whether the transaction has read a tuple, or without one the whole table.
func (s *serial) has(t *Table, n *Tuple) bool {
	return s.tables[t] || n != nil && (s.tuples[n] || s.pages[page{t, n.page()}])
}

// conflictOut notes that the transaction reads around a change of another: it reads a tuple that was replaced, or one
// that it is not shown. It reports false if the transaction must be rolled back, so that the scan ends.
func (s *Snapshot) conflictOut(t *Tuple, shown bool) bool {
	r := s.txn.serial
	if r == nil {
		return true
	}
	if r.doomed {
		s.ended = true
		return false
	}
	x := t.xmin
	if u := t.updater(); shown && u != nil {
		x = u.by
	} else if shown {
		return true
	}
	w := x.txn.serial
	switch {
	case x.isAborted() || w == nil || w == r || w.doomed || !slices.Contains(r.db.serials, w):
		return true
	case r.readOnly && w.committed && (!w.conflictOut || r.lastNo < w.earliestOut):
		return true
	case x.txn.number > 0 && x.txn.number <= s.commits:
		return true
	}
	r.flag(w, r)
	s.ended = r.doomed
	return !s.ended
}

// Err returns the error that has ended a scan early: the transaction cannot be put into an order with others, 40001. The
// statement must ask for it when its scans are over.
func (s *Snapshot) Err() error {
	if s.ended {
		return unserializable("Canceled on identification as a pivot, during conflict out checking")
	}
	return nil
}

// flag notes that a writer has changed what a reader has read. Me is the one of them that does something now.
func (s *serial) flag(w, me *serial) {
	if slices.Contains(s.out, w) {
		return
	}
	if s.isDangerous(w) {
		switch {
		case me == w, w.prepared:
			me.doomed = true
		default:
			w.doomed = true
		}
		return
	}
	s.out, w.in = append(s.out, w), append(w.in, s)
}

// isDangerous reports whether a conflict from a reader to a writer is a part of two in a row, the last of which has
// committed first: OnConflict_CheckForSerializationFailure.
func (s *serial) isDangerous(w *serial) bool {
	if w.committed && w.conflictOut {
		return true
	}
	for _, o := range w.out {
		if o.prepared && (!s.committed || o.preparedNo <= s.committedNo) && (!w.committed || o.preparedNo <= w.committedNo) &&
			(!s.readOnly || o.preparedNo <= s.lastNo) {
			return true
		}
	}
	if !w.prepared || s.readOnly {
		return false
	}
	return slices.ContainsFunc(s.in, func(o *serial) bool {
		return !o.doomed && (!o.committed || o.committedNo >= w.preparedNo) && (!o.readOnly || o.lastNo >= w.preparedNo)
	})
}

// conflictIn notes that the transaction changes a tuple, or inserts one, which others may have read.
func (b *Backend) conflictIn(t *Table, n *Tuple) error {
	s := b.txn.serial
	if s == nil {
		return nil
	}
	if n != nil && len(b.txn.stack) == 1 {
		delete(s.tuples, n)
	}
	return s.changes(func(o *serial) bool { return o.has(t, n) })
}

// conflictInIndex notes that the transaction adds an entry to an index.
func (b *Backend) conflictInIndex(ix *Index) error {
	if b.txn.serial == nil {
		return nil
	}
	return b.txn.serial.changes(func(o *serial) bool { return o.indexes[ix] })
}

// changes notes that the transaction changes what some others have read.
func (s *serial) changes(read func(o *serial) bool) error {
	if s.doomed {
		return unserializable("Canceled on identification as a pivot, during conflict in checking")
	}
	s.wrote = true
	for _, o := range slices.Clone(s.db.serials) {
		if o != s && !o.doomed && (!o.committed || o.committedNo > s.lastNo) && read(o) {
			o.flag(s, s)
		}
	}
	if s.doomed {
		return unserializable("Canceled on identification as a pivot, during write")
	}
	return nil
}

// precommit checks whether the transaction may commit.
func (s *serial) precommit() error {
	if s == nil {
		return nil
	}
	if s.doomed {
		return unserializable("Canceled on identification as a pivot, during commit attempt")
	}
	for _, near := range s.in {
		if near.committed || near.doomed {
			continue
		}
		for _, far := range near.in {
			if far != s && (far.committed || far.readOnly || far.doomed) {
				continue
			}
			if near.prepared {
				return unserializable("Canceled on commit attempt with conflict in from prepared pivot")
			}
			near.doomed = true
			break
		}
	}
	s.db.serialNo++
	s.prepared, s.preparedNo = true, s.db.serialNo
	return nil
}

// commit notes that the transaction has committed.
func (s *serial) commit() {
	if s == nil {
		return
	}
	s.db.serialNo++
	s.committed, s.committedNo = true, s.db.serialNo
	s.readOnly = s.readOnly || !s.wrote
	for _, w := range slices.Clone(s.out) {
		if !s.readOnly && w.committed {
			if !s.conflictOut || w.preparedNo < s.earliestOut {
				s.earliestOut = w.preparedNo
			}
			s.conflictOut = true
		}
		if w.committed || w.lastNo >= s.db.serialNo {
			s.unlink(w)
		}
	}
	for _, r := range slices.Clone(s.in) {
		if r.committed || r.readOnly {
			r.unlink(s)
		}
	}
	s.db.forgetSerials()
}

// unlink forgets the conflict of a reader with a writer.
func (s *serial) unlink(w *serial) {
	s.out = slices.DeleteFunc(s.out, func(o *serial) bool { return o == w })
	w.in = slices.DeleteFunc(w.in, func(o *serial) bool { return o == s })
}

// abort forgets a transaction that was rolled back.
func (s *serial) abort() {
	if s == nil || s.committed {
		return
	}
	for _, o := range slices.Clone(s.out) {
		s.unlink(o)
	}
	for _, o := range slices.Clone(s.in) {
		o.unlink(s)
	}
	s.db.serials = slices.DeleteFunc(s.db.serials, func(o *serial) bool { return o == s })
	s.txn.serial = nil
	s.db.forgetSerials()
}

// forgetSerials forgets transactions that committed before all those that go on have begun.
func (db *Database) forgetSerials() {
	oldest := db.serialNo
	for _, s := range db.serials {
		if !s.committed {
			oldest = min(oldest, s.lastNo)
		}
	}
	db.serials = slices.DeleteFunc(db.serials, func(s *serial) bool {
		old := s.committed && s.committedNo <= oldest
		if old {
			s.txn.serial = nil
		}
		return old
	})
}
