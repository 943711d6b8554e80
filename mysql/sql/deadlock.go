package sql

import "slices"

// resolveDeadlock ends a circle of transactions that wait for each other, if the transaction, which
// begins to wait, closes one. The transaction with the least weight is rolled back: InnoDB counts
// its changes and the kinds of its locks. Of equals it is the transaction itself.
func (t *Txn) resolveDeadlock() error {
	for t.waits != nil {
		circle := t.circle()
		if circle == nil {
			return nil
		}
		victim := 0
		for i, o := range circle {
			if o.weight() < circle[victim].weight() {
				victim = i
			}
		}
		if victim == 0 {
			return ErrDeadlock
		}
		refuse(slices.Concat(circle[victim:], circle[:victim]))
		circle[victim].owner.abort(ErrDeadlock)
	}
	return nil
}

// refuse reports that the wait of the first transaction of a circle is refused.
func refuse(circle []*Txn) {
	sessions := make([]Watcher, len(circle))
	for i, t := range circle {
		sessions[i] = t.client
	}
	sessions[0].Refused(sessions)
}

// resolveDeadlocks ends the circles that have formed because transactions now wait for
// others than before.
func (db *Database) resolveDeadlocks() {
	for len(db.moved) > 0 {
		t := db.moved[0]
		db.moved = db.moved[1:]
		if err := t.resolveDeadlock(); err != nil {
			refuse(t.circle())
			t.owner.abort(err)
		}
	}
}

// circle returns the transactions that wait for each other, from this one; nil if it is
// in no circle.
func (t *Txn) circle() []*Txn {
	list := []*Txn{t}
	for o := t.blocker; o != nil && o.waits != nil && len(list) <= len(t.db.open); o = o.blocker {
		if o == t {
			return list
		}
		list = append(list, o)
	}
	return nil
}

// structureFor returns the structure for a lock on a record: that of other locks of its kind, or a new one if
// the lock waits, or any lock waits for the record.
func (t *Txn) structureFor(e *entry, m mode, waits bool) *structure {
	if e.row == nil { // all locks on the end are on its gap
		m &^= gap | recordOnly
	}
	if !waits && !slices.ContainsFunc(e.locks, func(l *lock) bool { return l.waiting }) {
		similar := func(s *structure) bool { return s.index == e.index && s.mode == m && !s.waits }
		if i := slices.IndexFunc(t.structures, similar); i >= 0 {
			return t.structures[i]
		}
	}
	s := &structure{e.index, m, waits}
	t.structures = append(t.structures, s)
	return s
}

// forget drops the structure of a wait that has ended without the lock. Other structures stay until the
// transaction ends, even without locks.
func (t *Txn) forget(s *structure) {
	t.structures = slices.DeleteFunc(t.structures, func(o *structure) bool { return o == s })
}

// weight returns the weight of the transaction in a deadlock: its changes and, as in InnoDB, the structures of
// its locks.
func (t *Txn) weight() int { return len(t.undo) + len(t.intentions) + len(t.structures) }

// intend notes that the transaction intends to lock rows of a table.
func (t *Txn) intend(tab *table, m mode) {
	stronger := func(i intention) bool { return i.table == tab && i.mode&exclusive >= m&exclusive }
	if !slices.ContainsFunc(t.intentions, stronger) {
		t.intentions = append(t.intentions, intention{tab, m})
	}
}
