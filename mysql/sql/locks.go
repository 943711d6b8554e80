package sql

import "slices"

// waitsFor reports whether a request has to wait for a lock on the same record, granted or ahead
// in the queue: the rules of InnoDB's lock_rec_has_to_wait.
func (m mode) waitsFor(t *Txn, l *lock) bool {
	end := l.entry.row == nil
	switch {
	case l.txn == t, m&exclusive == 0 && l.mode&exclusive == 0:
		return false
	case (end || m&gap != 0) && m&insertIntention == 0:
		return false // locks on gaps hinder nothing but insertions
	case m&insertIntention == 0 && l.mode&gap != 0:
		return false
	case m&gap != 0 && l.mode&recordOnly != 0:
		return false
	case l.mode&insertIntention != 0:
		return false // insertions do not hinder each other, or reads
	}
	return true
}

// covers reports whether a lock is at least one of another mode.
func (l *lock) covers(m mode) bool {
	end := l.entry.row == nil
	return !l.waiting && l.mode&insertIntention == 0 &&
		(l.mode&exclusive != 0 || m&exclusive == 0) &&
		(l.mode&recordOnly == 0 || m&recordOnly != 0 || end) &&
		(l.mode&gap == 0 || m&gap != 0 || end)
}

// holds reports whether the transaction has such a lock on a record.
func (t *Txn) holds(e *entry, m mode) bool {
	return slices.ContainsFunc(e.locks, func(l *lock) bool { return l.txn == t && l.covers(m) })
}

// conflict returns the first lock on a record that a request has to wait for, or nil, and the request's
// place in the queue: a transaction that holds the record need not wait behind those that wait for it.
func (t *Txn) conflict(e *entry, m mode) (with *lock, place int) {
	holds := false
	place = -1
	for i, l := range e.locks {
		holds = holds || m&insertIntention == 0 && l.txn == t && !l.waiting && l.mode&exclusive >= m&exclusive && l.mode&gap == 0
		switch {
		case !m.waitsFor(t, l):
		case holds && l.waiting:
			if place < 0 {
				place = i
			}
		case place < 0:
			return l, len(e.locks)
		default:
			return l, place
		}
	}
	if place < 0 {
		place = len(e.locks)
	}
	return nil, place
}

// add puts a lock into the queue of a record, at the end.
func (t *Txn) add(e *entry, m mode, waiting bool) *lock {
	return t.addAt(e, m, waiting, len(e.locks))
}

func (t *Txn) addAt(e *entry, m mode, waiting bool, place int) *lock {
	l := &lock{txn: t, entry: e, mode: m, waiting: waiting, waited: waiting, structure: t.structureFor(e, m, waiting)}
	e.locks = slices.Insert(e.locks, place, l)
	t.locks = append(t.locks, l)
	if !waiting {
		l.granted()
	}
	return l
}

// drop takes a lock out of its queue.
func (l *lock) drop() {
	is := func(o *lock) bool { return o == l }
	l.entry.locks = slices.DeleteFunc(l.entry.locks, is)
	l.txn.locks = slices.DeleteFunc(l.txn.locks, is)
	if l.txn.waits == l {
		l.txn.waits = nil
	}
	if l.waiting {
		l.txn.forget(l.structure)
	}
}

// implicit returns the open transaction that has inserted, changed or marked the record last: it holds
// it exclusively without a lock in the queue.
func (e *entry) implicit() *Txn {
	by := e.by
	if e.row != nil && e.row.entry == e && e.row.newest != nil {
		by = e.row.newest.by
	}
	if by == nil || by.ended {
		return nil
	}
	return by
}

// makeExplicit adds a lock to the queue for a transaction other than t that holds the record
// implicitly.
func (e *entry) makeExplicit(t *Txn) {
	if owner := e.implicit(); owner != nil && owner != t && !owner.holds(e, exclusive|recordOnly) {
		owner.add(e, exclusive|recordOnly, false)
	}
}

// lock locks a record, or makes the transaction wait for it: the result is then ErrWait.
// When the wait is over the caller asks again.
func (t *Txn) lock(e *entry, m mode, how Patience) error {
	if owner := e.implicit(); owner != nil && m&gap == 0 {
		if owner == t && m&recordOnly != 0 {
			return nil
		}
		e.makeExplicit(t)
	}
	if m&(gap|recordOnly) == 0 && e.row != nil && t.holds(e, m|recordOnly) {
		m |= gap // it has the record
	}
	if t.holds(e, m) {
		return nil
	}
	return t.request(e, m, how)
}

// wouldWait reports whether a lock could not be had at once.
func (t *Txn) wouldWait(e *entry, m mode) bool {
	if owner := e.implicit(); owner != nil {
		return owner != t
	}
	if t.holds(e, m) {
		return false
	}
	with, _ := t.conflict(e, m)
	return with != nil
}

// request puts a lock into the queue of a record, where it is granted or waits.
func (t *Txn) request(e *entry, m mode, how Patience) error {
	if t.owner.isDoomed() {
		return ErrDeadlock
	}
	with, place := t.conflict(e, m)
	switch {
	case with == nil:
		t.addAt(e, m, false, place)
		return nil
	case how.Kind == NoWait:
		return Fail(NotAvailable)
	case t.owner.lockTimeout(how) == 0:
		return Fail(LockTimeout)
	case how.Kind == SkipLocked:
		return errSkip
	}
	l := t.addAt(e, m, true, place)
	t.waits, t.blocker = l, with.txn
	t.client.Waits(e.place())
	if err := t.resolveDeadlock(); err != nil {
		refuse(t.circle())
		return err
	}
	if t.waits == nil { // the victim had it, and the statement was woken
		return ErrWait
	}
	t.owner.waitFor(t.owner.lockTimeout(how), "a wait has timed out", func() {
		l.cancel()
		t.owner.abort(Fail(LockTimeout))
	})
	return ErrWait
}

// cancel ends a wait without the lock.
func (l *lock) cancel() {
	e := l.entry
	l.txn.client.Waited(false)
	l.drop()
	e.grant()
}

// grant grants the locks that need not wait any more, in the order of their requests.
func (e *entry) grant() {
	for _, l := range slices.Clone(e.locks) {
		if !l.waiting {
			continue
		}
		i := slices.Index(e.locks, l)
		if i < 0 {
			continue
		}
		if first := slices.IndexFunc(e.locks[:i], func(o *lock) bool { return l.mode.waitsFor(l.txn, o) }); first >= 0 {
			if by := e.locks[first].txn; by != l.txn.blocker {
				l.txn.blocker = by
				l.txn.db.moved = append(l.txn.db.moved, l.txn)
			}
			continue
		}
		l.waiting, l.structure.waits = false, false
		l.txn.waits = nil
		l.txn.client.Waited(true)
		l.granted()
		l.txn.owner.wake()
	}
}

// unlock gives up the locks on a row that does not meet a statement's condition: those from since on,
// except those that it has waited for. As in InnoDB it gives up the transaction's first lock of the
// same mode, although that may be another.
func (t *Txn) unlock(e *entry, since int) {
	for _, l := range slices.Clone(t.locks[since:]) {
		if l.entry == e && !l.waited {
			first := e.locks[slices.IndexFunc(e.locks, func(o *lock) bool { return o.txn == t && (o.mode^l.mode)&exclusive == 0 })]
			first.drop()
		}
	}
	if e.implicit() != t && !t.holds(e, exclusive|recordOnly) {
		e.released(t, nil)
	}
	e.grant()
}

// releaseAll gives up all locks, the last first.
func (t *Txn) releaseAll(end *Ending) {
	for i := len(t.locks) - 1; i >= 0; i-- {
		if i >= len(t.locks) {
			continue
		}
		l := t.locks[i]
		l.drop()
		l.entry.released(t, end)
		l.entry.grant()
	}
	for _, e := range t.inserted {
		e.released(t, end)
	}
}

// insert adds a record. Locks on the gap into which it is inserted cover both parts of
// the gap from then on.
func (ix *index) insert(e *entry) {
	i := ix.find(e.key)
	next := ix.at(i)
	ix.entries = slices.Insert(ix.entries, i, e)
	for _, l := range slices.Clone(next.locks) {
		if l.mode&insertIntention == 0 && (next == ix.end || l.mode&recordOnly == 0) {
			e.inherit(l)
		}
	}
}

// remove removes a record. Locks on it become locks on the gap in which it was, and
// transactions that wait for it try again.
func (ix *index) remove(e *entry) {
	i := ix.find(e.key)
	ix.entries = slices.Delete(ix.entries, i, i+1)
	e.gone = true
	next := ix.at(i)
	for _, l := range e.locks {
		if l.mode&insertIntention == 0 && (l.txn.level.LocksGaps || l.mode&exclusive == 0) {
			next.inherit(l)
		}
	}
	e.released(e.holder, nil)
	for _, l := range slices.Clone(e.locks) {
		l.drop()
		if l.waiting {
			l.txn.owner.wake()
		}
	}
}

// inherit makes a lock of the same transaction on the gap before the record.
func (e *entry) inherit(l *lock) {
	m := l.mode&exclusive | gap
	if l.txn.holds(e, m) {
		l.txn.structureFor(e, m, false) // it makes one all the same
		return
	}
	l.txn.add(e, m, false)
}

// granted notes that a row was locked, if that is what the lock does.
func (l *lock) granted() {
	if l.mode&exclusive != 0 && l.mode&gap == 0 {
		l.entry.taken(l.txn)
	}
}

// taken notes that a transaction holds the row of a record exclusively from now on. That is
// reported when the event is settled, if the transaction has it still: a statement that is a transaction by
// itself gives it up at once.
func (e *entry) taken(t *Txn) {
	if e.holder == t || e.row == nil || e.row.entry != e {
		return
	}
	e.holder, e.since, e.got = t, 0, t.client.Origin()
	t.db.taken = append(t.db.taken, e)
}

// reportTaken reports, at the end of an event, which rows are held exclusively since it began.
func (db *Database) reportTaken() {
	list := db.taken
	db.taken = nil
	for _, e := range list {
		if e.holder == nil || e.since != 0 {
			continue
		}
		e.since = db.NextRevision()
		e.holder.client.Locked(e.place(), e.since, e.got)
	}
}

// released notes that the holder of a row has given it up.
func (e *entry) released(t *Txn, end *Ending) {
	if t == nil || e.holder != t {
		return
	}
	e.holder = nil
	if e.since != 0 {
		t.client.Unlocked(e.place(), e.since, e.got, end)
	}
}
