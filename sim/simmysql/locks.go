package simmysql

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// mode is what a lock on a record of an index covers, and how. Without gap and recordOnly
// it is a next-key lock: on the record and on the gap before it.
type mode uint8

const (
	exclusive       mode = 1 << iota // and otherwise shared
	gap                              // the gap before the record alone
	recordOnly                       // the record alone
	insertIntention                  // with gap: to insert into it

	nextKey mode = 0
)

// lock is a transaction's lock on a record, or its place in the queue for one.
type lock struct {
	txn       *txn
	entry     *entry
	mode      mode
	waiting   bool
	waited    bool
	structure *structure
}

// waitsFor reports whether a request has to wait for a lock on the same record, granted or ahead
// in the queue: the rules of InnoDB's lock_rec_has_to_wait.
func (m mode) waitsFor(t *txn, l *lock) bool {
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
func (t *txn) holds(e *entry, m mode) bool {
	return slices.ContainsFunc(e.locks, func(l *lock) bool { return l.txn == t && l.covers(m) })
}

// conflict is the first lock on a record that a request has to wait for, nil if there is none, and the
// request's place in the queue: who holds the record need not wait behind those who wait for it.
func (t *txn) conflict(e *entry, m mode) (with *lock, place int) {
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
func (t *txn) add(e *entry, m mode, waiting bool) *lock {
	return t.addAt(e, m, waiting, len(e.locks))
}

func (t *txn) addAt(e *entry, m mode, waiting bool, place int) *lock {
	l := &lock{txn: t, entry: e, mode: m, waiting: waiting, waited: waiting, structure: t.structureFor(e, m, waiting)}
	e.locks = slices.Insert(e.locks, place, l)
	t.locks = append(t.locks, l)
	if !waiting {
		l.observeGrant()
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

// implicit is the open transaction that has inserted, changed or marked the record last: it holds
// it exclusively without a lock in the queue.
func (e *entry) implicit() *txn {
	by := e.by
	if e.row != nil && e.row.entry == e && e.row.newest != nil {
		by = e.row.newest.by
	}
	if by == nil || by.ended {
		return nil
	}
	return by
}

// makeExplicit makes a lock in the queue of what another transaction than this one holds without.
func (e *entry) makeExplicit(t *txn) {
	if owner := e.implicit(); owner != nil && owner != t && !owner.holds(e, exclusive|recordOnly) {
		owner.add(e, exclusive|recordOnly, false)
	}
}

// lock locks a record, or makes the transaction wait for it: the result is then errWait.
// When the wait is over the caller asks again.
func (t *txn) lock(e *entry, m mode, how patience) error {
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

// request puts a lock into the queue of a record, where it is granted or waits.
func (t *txn) request(e *entry, m mode, how patience) error {
	if t.session.doomed {
		return errDeadlock
	}
	with, place := t.conflict(e, m)
	switch {
	case with == nil:
		t.addAt(e, m, false, place)
		return nil
	case how.kind == noWait, t.session.lockTimeout(how) == 0:
		return errLockWaitTimeout
	case how.kind == skipLocked:
		return errSkip
	}
	l := t.addAt(e, m, true, place)
	t.waits, t.blocker = l, with.txn
	t.session.observeWait(e.awaited())
	if err := t.resolveDeadlock(); err != nil {
		t.session.observeWaited(model.WaitRefused)
		return err
	}
	if t.waits == nil { // the victim had it, and the statement was woken
		return errWait
	}
	t.session.waitFor(t.session.lockTimeout(how), "a wait has timed out", func() {
		l.cancel()
		t.session.abort(errLockWaitTimeout)
	})
	return errWait
}

// errSkip is the result of a lock that a statement with SKIP LOCKED does not get.
var errSkip = &sqlError{0, "", "the row is locked"}

// cancel ends a wait without the lock.
func (l *lock) cancel() {
	e := l.entry
	l.txn.session.observeWaited(model.WaitEnded)
	l.drop()
	e.grant()
}

// grant gives a record to those who wait for it and need not any more, in the order in which they came.
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
				l.txn.session.node.moved = append(l.txn.session.node.moved, l.txn)
			}
			continue
		}
		l.waiting, l.structure.waits = false, false
		l.txn.waits = nil
		l.txn.session.observeWaited(model.WaitGranted)
		l.observeGrant()
		l.txn.wake()
	}
}

// unlock gives up the locks on a row that a statement does not want, with READ COMMITTED: those after the
// first so many, but for those that it has waited for. As in InnoDB it is the transaction's first lock
// that is given up, of those that are as exclusive, although that may be another.
func (t *txn) unlock(e *entry, since int) {
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
func (t *txn) releaseAll(end *ending) {
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

// waitFor makes the session wait, for a time at most. Then over is called; what is the text of that event.
func (s *session) waitFor(d time.Duration, what string, over func()) {
	s.stopWaiting()
	s.waiting = s.node.after(d, what, func() {
		s.waiting = nil
		over()
	})
}

func (s *session) stopWaiting() {
	s.waiting.stop()
	s.waiting = nil
}
