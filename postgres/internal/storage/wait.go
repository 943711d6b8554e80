package storage

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// WaitPolicy is what a statement does about a row that another has locked.
type WaitPolicy uint8

// The policies.
const (
	Block      WaitPolicy = iota
	Nowait                // fails with 55P03
	SkipLocked            // skips it
)

// The contexts of waits for a transaction, in errors.
const (
	whileUpdating   = "while updating tuple %s in relation %q"
	whileDeleting   = "while deleting tuple %s in relation %q"
	whileLocking    = "while locking tuple %s in relation %q"
	whileFollowing  = "while locking updated version %s of tuple in relation %q"
	whileInserting  = "while inserting index tuple %s in relation %q"
	whileChecking   = "while checking exclusion constraint on tuple %s in relation %q"
	whileRechecking = "while rechecking updated tuple %s in relation %q"
)

// waitFor waits for the end of a transaction, or of a part of it, because of a place. Context is that of errors.
func (b *Backend) waitFor(x *xact, at Place, context string) error {
	b.place, b.context = at, context
	defer func() { b.place, b.context = Place{}, "" }()
	for x.isRunning() {
		r := request{tag: lockTag{xact: x}, mode: ShareLock, owner: b.txn.current()}
		if _, err := b.acquire(r); err != nil {
			return err
		}
		b.release(r.tag, r.mode, r.owner)
	}
	return nil
}

// waitForUpdate waits for a transaction that has locked, replaced or deleted a tuple.
func (b *Backend) waitForUpdate(x *xact, t *Tuple, context string) error {
	return b.waitFor(x, t.place(), fmt.Sprintf(context, t.CTID(), t.table.Name))
}

// waitForToken waits until another has finished a speculative insertion.
func (b *Backend) waitForToken(t *Tuple) error {
	b.place = t.place()
	defer func() { b.place = Place{} }()
	r := request{tag: lockTag{xact: t.xmin, token: t.token}, mode: ShareLock, owner: b.txn.current()}
	if _, err := b.acquire(r); err != nil {
		return err
	}
	b.release(r.tag, r.mode, r.owner)
	return nil
}

// waitForMarks waits for the transactions whose marks on a tuple conflict with a mode. It reports false if the policy is not to
// wait, and it would have to.
func (b *Backend) waitForMarks(t *Tuple, m *marks, mode RowMode, policy WaitPolicy, context string) (bool, error) {
	list := m.list
	if m.multi {
		list, _ = m.conflicting(b.txn, mode)
	}
	for _, k := range list {
		if policy != Block && k.by.isRunning() {
			return false, t.notAvailable(policy)
		}
		if err := b.waitForUpdate(k.by, t, context); err != nil {
			return false, err
		}
	}
	return true, nil
}

// notAvailable returns the error about a row that is locked, nil if it is skipped.
func (t *Tuple) notAvailable(policy WaitPolicy) error {
	if policy == SkipLocked {
		return nil
	}
	return pgerror.New(pgerror.LockNotAvailable, "could not obtain lock on row in relation %q", t.table.Name)
}

// turn is a backend's place among those who wait for a tuple: a lock of the lock manager, which the first of them has.
type turn struct {
	backend *Backend
	tuple   *Tuple
	mode    RowMode
	owner   *xact // nil unless it has the lock
}

// take waits until nobody before the backend waits for the tuple. It reports false if the policy is not to wait.
func (q *turn) take(policy WaitPolicy) (bool, error) {
	if q.owner != nil {
		return true, nil
	}
	r := q.request()
	r.nowait = policy != Block
	got, err := q.backend.acquire(r)
	if err != nil || !got {
		if err == nil {
			err = q.tuple.notAvailable(policy)
		}
		return false, err
	}
	q.owner = r.owner
	return true, nil
}

func (q *turn) request() request {
	return request{tag: lockTag{tuple: q.tuple}, mode: queueModes[q.mode], owner: q.backend.txn.current()}
}

// leave gives the place up.
func (q *turn) leave() {
	if q.owner != nil && q.backend.txn != nil {
		r := q.request()
		q.backend.release(r.tag, r.mode, q.owner)
	}
	q.owner = nil
}

// waitPlace returns the place of what a backend begins to wait for.
func (b *Backend) waitPlace(g lockTag) Place {
	switch {
	case g.tuple != nil:
		return g.tuple.place()
	case g.isKey:
		return Place{Kind: PlaceAdvisory, Advisory: g.advisory}
	case g.xact != nil && b.place.Table != nil:
		return b.place
	}
	return Place{Kind: PlaceOther, Table: g.table}
}
