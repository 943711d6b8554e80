package storage

import "github.com/lockpick-dev/lockpick/postgres/internal/pgerror"

// Outcome is the outcome of a lock or a change of a tuple.
type Outcome uint8

// The outcomes.
const (
	// Done: the tuple is locked, or changed.
	Done Outcome = iota
	// Updated: another transaction has replaced the tuple; its newest version is locked now. The statement must check its
	// conditions again with that.
	Updated
	// Deleted: another transaction has deleted the tuple.
	Deleted
	// Skipped: it is locked, and the policy is SkipLocked.
	Skipped
	// SelfModified: the transaction itself has changed the tuple since the snapshot: the statement leaves it alone.
	SelfModified
)

// status is the result of PostgreSQL's HeapTupleSatisfiesUpdate.
type status uint8

const (
	tupleOK status = iota
	tupleInvisible
	tupleSelfModified
	tupleUpdated
	tupleDeleted
	tupleBeingModified
	tupleWouldBlock
)

// status returns whether a command of the backend's transaction may lock or change a tuple.
func (t *Tuple) status(b *Backend, command int) status {
	switch x := t.xmin; {
	case t.dead && x.isAborted():
		return tupleInvisible
	case x.txn == b.txn:
		if t.cmin >= command {
			return tupleInvisible
		}
	case !x.isCommitted():
		return tupleInvisible
	}
	if t.xmax == nil {
		return tupleOK
	}
	u := t.updater()
	switch {
	case u != nil && u.by.txn == b.txn:
		if t.cmax >= command {
			return tupleSelfModified
		}
		return tupleInvisible
	case t.xmax.isRunning():
		return tupleBeingModified
	case u == nil:
		return tupleOK
	}
	return t.replaced()
}

// replaced returns how a tuple that has an updater was changed.
func (t *Tuple) replaced() status {
	if t.next != nil {
		return tupleUpdated
	}
	return tupleDeleted
}

// settled returns the status of a tuple for which the wait is over.
func (t *Tuple) settled() status {
	if t.updater() == nil {
		return tupleOK
	}
	return t.replaced()
}

// LockRow locks a tuple that a snapshot has shown, or waits for it.
func (b *Backend) LockRow(s *Snapshot, t *Tuple, mode RowMode, policy WaitPolicy) (newest *Tuple, o Outcome, err error) {
	newest, st, err := b.lockNewest(t, s.command, mode, policy, true)
	switch {
	case err != nil:
		return nil, Done, err
	case st == tupleWouldBlock:
		return nil, Skipped, nil
	case st == tupleInvisible, st == tupleSelfModified:
		return nil, SelfModified, nil
	case (st != tupleOK || newest != t) && b.txn.Level != ReadCommitted:
		return nil, Done, concurrent("update")
	case st != tupleOK:
		return nil, Deleted, nil
	case newest != t:
		return newest, Updated, nil
	}
	return t, Done, nil
}

// concurrent is the error of a transaction with one snapshot that meets a change after it.
func concurrent(what string) error {
	return pgerror.New(pgerror.SerializationFailure, "could not serialize access due to concurrent %s", what)
}

// lockNewest locks a tuple, or in READ COMMITTED the version that has replaced it, as heapam_tuple_lock does.
func (b *Backend) lockNewest(t *Tuple, command int, mode RowMode, policy WaitPolicy, follow bool) (*Tuple, status, error) {
	for {
		st, err := b.lockTuple(t, command, mode, policy, follow)
		if err != nil || st != tupleUpdated || b.txn.Level != ReadCommitted {
			return t, st, err
		}
		for t = t.next; ; t = t.next {
			u := t.updater()
			for u != nil && u.by.isRunning() && u.by.txn != b.txn {
				if policy != Block {
					return t, tupleWouldBlock, t.notAvailable(policy)
				}
				if err := b.waitForUpdate(u.by, t, whileRechecking); err != nil {
					return t, tupleOK, err
				}
				u = t.updater()
			}
			if u == nil {
				break
			}
			if t.next == nil {
				return t, tupleDeleted, nil
			}
		}
		if t.xmin.txn == b.txn && t.cmin >= command {
			return t, tupleSelfModified, nil
		}
	}
}

// lockTuple locks a tuple, as heap_lock_tuple does. With follow, versions that have replaced it are locked too.
func (b *Backend) lockTuple(t *Tuple, command int, mode RowMode, policy WaitPolicy, follow bool) (status, error) {
	q := turn{backend: b, tuple: t, mode: mode}
	defer q.leave()
	skipTurn := false
	for first := true; ; first = false {
		st := t.status(b, command)
		if st == tupleInvisible || st == tupleSelfModified {
			return st, nil
		}
		if st == tupleOK {
			break
		}
		m := t.xmax
		if first {
			strong, own := m.heldBy(b.txn, mode)
			if strong {
				return tupleOK, nil
			}
			skipTurn = own && m.multi
		}
		if !m.sleeps(b.txn, mode) {
			if mode == KeyShare && follow && !m.onlyLock() {
				if st, err := b.lockUpdated(t, mode); err != nil || st != tupleOK {
					return st, err
				}
			}
			break
		}
		if st == tupleUpdated || st == tupleDeleted {
			return st, nil
		}
		if !skipTurn {
			if got, err := q.take(policy); !got {
				return tupleWouldBlock, err
			}
		}
		if got, err := b.waitForMarks(t, m, mode, policy, whileLocking); !got {
			return tupleWouldBlock, err
		}
		if follow && !m.onlyLock() {
			if st, err := b.lockUpdated(t, mode); err != nil || st != tupleOK {
				return st, err
			}
		}
		if t.xmax != m {
			continue
		}
		if st := t.settled(); st != tupleOK {
			return st, nil
		}
		break
	}
	b.mark(t, mode, false)
	return tupleOK, nil
}

// mark marks a tuple as locked or changed.
func (b *Backend) mark(t *Tuple, mode RowMode, update bool) {
	t.xmax = t.xmax.with(mark{b.writer(), mode, update})
	if mode >= NoKeyUpdate {
		b.db.take(b, t.place(), b.txn.current())
	}
}

// lockUpdated locks the versions that have replaced a tuple, as heap_lock_updated_tuple does.
func (b *Backend) lockUpdated(t *Tuple, mode RowMode) (status, error) {
	for t = t.next; t != nil && !t.xmin.isAborted(); t = t.next {
		st, mine, err := b.lockVersion(t, mode)
		if err != nil || st != tupleOK {
			return st, err
		}
		if !mine {
			t.xmax = t.xmax.with(mark{b.writer(), mode, false})
		}
		if t.updater() == nil {
			break
		}
	}
	return tupleOK, nil
}

// lockVersion waits until a mode does not conflict with the marks on a tuple. Mine is set if the transaction has locked it.
func (b *Backend) lockVersion(t *Tuple, mode RowMode) (st status, mine bool, err error) {
again:
	for t.xmax != nil {
		for _, k := range t.xmax.list {
			switch {
			case k.by.isAborted():
			case k.by.txn == b.txn:
				return tupleOK, true, nil
			case k.by.isRunning() && mode.conflictsWith(k.mode):
				if err := b.waitForUpdate(k.by, t, whileFollowing); err != nil {
					return tupleOK, false, err
				}
				continue again
			case k.by.isCommitted() && k.update && mode.conflictsWith(k.mode):
				return t.replaced(), false, nil
			}
		}
		break
	}
	return tupleOK, false, nil
}

// LockConflict locks the tuple that an insertion has met, for ON CONFLICT DO UPDATE. The mode is Update if the statement sets
// columns of a unique index that can be referenced, and otherwise NoKeyUpdate. The outcome is Updated or Deleted, without a
// lock, if the insertion must be tried again. The error is 21000 if the statement itself has written the tuple.
func (b *Backend) LockConflict(s *Snapshot, t *Tuple, mode RowMode) (o Outcome, err error) {
	st, err := b.lockTuple(t, s.command, mode, Block, false)
	switch {
	case err != nil:
		return Done, err
	case st == tupleInvisible, st == tupleSelfModified:
		return Done, pgerror.New(pgerror.CardinalityViolation, "ON CONFLICT DO UPDATE command cannot affect row a second time").
			WithHint("Ensure that no rows proposed for insertion within the same command have duplicate constrained values.")
	case st == tupleUpdated && b.txn.Level != ReadCommitted:
		return Done, concurrent("update")
	case st == tupleDeleted && b.txn.Level != ReadCommitted:
		return Done, concurrent("delete")
	case st == tupleUpdated:
		return Updated, nil
	case st == tupleDeleted:
		return Deleted, nil
	}
	return Done, s.mustShow(t)
}

// mustShow returns an error if a transaction with one snapshot meets a tuple that this does not show, unless it has written it.
func (s *Snapshot) mustShow(t *Tuple) error {
	if s.txn.Level == ReadCommitted || s.Shows(t) || t.xmin.txn == s.txn {
		return nil
	}
	return concurrent("update")
}
