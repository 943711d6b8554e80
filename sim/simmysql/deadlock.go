package simmysql

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// resolveDeadlock ends a circle of transactions that wait for each other, if the transaction, which
// begins to wait, closes one. The one with the least to lose is rolled back: InnoDB counts
// the changes that it has made and its locks, as far as they differ in kind. Of equals it
// is the transaction itself.
func (t *txn) resolveDeadlock() error {
	for t.waits != nil {
		circle := t.circle()
		if circle == nil {
			return nil
		}
		victim := t
		for _, o := range circle {
			if o.weight() < victim.weight() {
				victim = o
			}
		}
		if victim == t {
			return errDeadlock
		}
		victim.session.observeWaited(model.WaitRefused)
		victim.session.abort(errDeadlock)
	}
	return nil
}

// resolveDeadlocks ends the circles that have come about since transactions wait for others than
// before.
func (n *Node) resolveDeadlocks() {
	for len(n.moved) > 0 {
		t := n.moved[0]
		n.moved = n.moved[1:]
		if err := t.resolveDeadlock(); err != nil {
			t.session.observeWaited(model.WaitRefused)
			t.session.abort(err)
		}
	}
}

// circle are the transactions that wait for each other, from this one; nil if it is
// in no circle.
func (t *txn) circle() []*txn {
	list := []*txn{t}
	for o := t.blocker; o != nil && o.waits != nil && len(list) <= len(t.session.node.sessions); o = o.blocker {
		if o == t {
			return list
		}
		list = append(list, o)
	}
	return nil
}

// lockKind is what locks of a transaction have in common that InnoDB keeps in one structure.
type lockKind struct {
	index *index
	mode  mode
	waits bool
}

func (l *lock) kind() lockKind { return lockKind{l.entry.index, l.mode, l.waiting} }

// weight is how much is lost if the transaction is rolled back. The structure of locks that it has given
// up counts still.
func (t *txn) weight() int {
	kinds := map[lockKind]bool{}
	for _, k := range t.givenUp {
		kinds[k] = true
	}
	for _, l := range t.locks {
		kinds[l.kind()] = true
	}
	return len(t.undo) + len(kinds) + len(t.intentions)
}

// intention is a transaction's intention to lock rows of a table. It hinders nobody, and
// counts as a lock.
type intention struct {
	table *table
	mode  mode
}

// intend notes that the transaction is going to lock rows of a table.
func (t *txn) intend(tab *table, m mode) {
	stronger := func(i intention) bool { return i.table == tab && i.mode&exclusive >= m&exclusive }
	if !slices.ContainsFunc(t.intentions, stronger) {
		t.intentions = append(t.intentions, intention{tab, m})
	}
}
