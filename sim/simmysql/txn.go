package simmysql

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// isolation is the isolation level of a transaction.
type isolation uint8

const (
	repeatableRead isolation = iota
	readCommitted
)

func (i isolation) String() string { return [...]string{"REPEATABLE-READ", "READ-COMMITTED"}[i] }

// txn is a transaction.
type txn struct {
	session  *session
	level    isolation
	readOnly bool
	// number is the commit's, from 1; 0 until then.
	number int64
	ended  bool
	// view is the number of the last commit that its snapshot shows; -1 if it has none yet.
	view int64

	undo     []func() // what takes its changes back, the last of them last
	changed  []*row   // in the order of their first changes
	marked   []*entry // for deletion
	inserted []*entry // clustered records that it holds without a lock in the queue
	points   []point
	used     bool // a statement has read or changed tables

	locks      []*lock
	structures []*structure
	intentions []intention
	waits      *lock // that it waits for
	blocker    *txn  // and who keeps it from that

	told bool         // its beginning was observed
	sent bool         // it is in the log, and was sent to the replicas
	by   model.Origin // the request that has committed it
}

// point is a savepoint.
type point struct {
	name string
	undo int
	used bool // the transaction had used tables before
}

// transaction is the session's open transaction; if there is none, it begins one.
func (s *session) transaction() *txn {
	if s.txn == nil {
		s.txn = &txn{session: s, level: s.level, readOnly: s.readOnly, view: -1}
		if s.next != nil {
			s.txn.level, s.txn.readOnly = s.next.level, s.next.readOnly
			s.next = nil
		}
		s.node.open = append(s.node.open, s.txn)
		s.txn.observeBegin()
	}
	return s.txn
}

// wake lets the transaction's statement go on, which waits.
func (t *txn) wake() { t.session.wake() }

// snapshot makes the view of reads that lock nothing: a new one for each statement with READ
// COMMITTED, and one for all with REPEATABLE READ.
func (t *txn) snapshot(x *execution) {
	t.used = true
	if t.view < 0 || t.level == readCommitted && !x.viewed {
		t.view = t.session.node.commits
		x.viewed = true
	}
}

// write enters a new version of a row; nil values delete it.
func (t *txn) write(r *row, values []value) {
	older := r.newest
	r.newest = &version{values: values, by: t, older: older, owner: t.session.origin()}
	if !slices.Contains(t.changed, r) {
		t.changed = append(t.changed, r)
	}
	t.undo = append(t.undo, func() {
		r.newest = older
		if older == nil {
			r.table.clustered().remove(r.entry)
		}
	})
}

// mark sets or takes away the mark of a deleted record of a secondary index.
func (t *txn) mark(e *entry, deleted bool) {
	was, by := e.deleted, e.by
	e.deleted, e.by = deleted, t
	if deleted {
		t.marked = append(t.marked, e)
	}
	t.also(func() { e.deleted, e.by = was, by })
}

// also makes an undo part of the last one: a change of a row counts once.
func (t *txn) also(f func()) {
	last := len(t.undo) - 1
	before := t.undo[last]
	t.undo[last] = func() { f(); before() }
}

// rollbackTo takes back all changes after the first so many. Locks stay.
func (t *txn) rollbackTo(n int) {
	for i := len(t.undo) - 1; i >= n; i-- {
		t.undo[i]()
	}
	t.undo = t.undo[:n]
}

// toPoint takes back what has happened since a savepoint. Locks and the snapshot stay, but not if
// the savepoint was made before the transaction had used any table: the storage engine was no part of it then, and
// forgets all of its own part.
func (t *txn) toPoint(i int, end *ending) {
	p := t.points[i]
	t.rollbackTo(p.undo)
	t.points = t.points[:i+1]
	if p.used {
		return
	}
	t.releaseAll(end)
	t.changed, t.marked, t.inserted = nil, nil, nil
	t.intentions, t.structures = nil, nil
	t.view, t.used = -1, false
	t.session.node.purge()
}

// rollback takes everything back and ends the transaction.
func (t *txn) rollback(end *ending) {
	if t.waits != nil {
		t.waits.cancel()
	}
	t.rollbackTo(0)
	t.observeEnd(model.TransactionRolledBack)
	t.end(end)
}

// end gives up the locks, and forgets the transaction.
func (t *txn) end(end *ending) {
	t.ended = true
	t.releaseAll(end)
	n := t.session.node
	n.open = slices.DeleteFunc(n.open, func(o *txn) bool { return o == t })
	t.session.txn = nil
	n.purge()
}

// commit makes the changes visible to all. The error is errWait while replicas are waited for.
func (s *session) commit() error {
	t := s.txn
	if t == nil {
		return nil
	}
	n := s.node
	if !t.sent {
		t.sent = true
		if n.ship(t) {
			return errWait
		}
	}
	n.commit(t)
	if x := s.current; x != nil {
		_, asked := x.statement.(*commit)
		x.committed = asked || len(t.changed) > 0
	}
	t.observeEnd(model.TransactionCommitted)
	t.end(&ending{by: s.origin()})
	return nil
}

// commit enters the transaction's changes into the history of the server. Those of tables that were
// dropped meanwhile are gone with them.
func (n *Node) commit(t *txn) {
	if len(t.changed) > 0 {
		n.commits++
		t.number = n.commits
		n.revision++
		for _, r := range t.changed {
			if n.has(r.table) {
				n.observeCommit(r, t)
			}
		}
		n.purgeable = append(n.purgeable, t)
	}
}

// purge removes old versions of rows, and deleted rows, that no snapshot shows any more.
func (n *Node) purge() {
	oldest := n.commits
	for _, t := range n.open {
		if t.view >= 0 {
			oldest = min(oldest, t.view)
		}
	}
	for len(n.purgeable) > 0 && n.purgeable[0].number <= oldest {
		t := n.purgeable[0]
		n.purgeable = n.purgeable[1:]
		t.purge(oldest)
	}
}

func (t *txn) purge(oldest int64) {
	for _, e := range t.marked {
		if !e.gone && e.deleted && e.by == t {
			e.index.remove(e)
		}
	}
	for _, r := range t.changed {
		if r.entry.gone {
			continue
		}
		if r.newest.by == t && r.newest.values == nil {
			r.table.clustered().remove(r.entry)
			continue
		}
		for v := r.newest; v != nil; v = v.older {
			if v.by == nil || v.by.number != 0 && v.by.number <= oldest {
				v.older = nil
			}
		}
	}
}
