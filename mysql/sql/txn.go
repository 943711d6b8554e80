package sql

import "slices"

// Client returns the transaction's connection.
func (t *Txn) Client() Watcher { return t.client }

// Weight returns the number of the transaction's changes, and of its lock structures, by which the victim of
// a deadlock is chosen.
func (t *Txn) Weight() (changes, structures int) {
	return len(t.undo), len(t.intentions) + len(t.structures)
}

// snapshot makes the view of reads that lock nothing: one for all statements, or a new one if the level has
// fresh ones and the statement has not viewed anything yet.
func (t *Txn) snapshot(viewed *bool) {
	t.used = true
	if t.view < 0 || t.level.FreshSnapshots && !*viewed {
		t.view = t.db.commits
		*viewed = true
	}
}

// write enters a new version of a row; nil values delete it.
func (t *Txn) write(r *row, values []Value) {
	older := r.newest
	r.newest = &version{values: values, by: t, older: older, owner: t.client.Origin(), read: t.owner.clockRead()}
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
func (t *Txn) mark(e *entry, deleted bool) {
	was, by := e.deleted, e.by
	e.deleted, e.by = deleted, t
	if deleted {
		t.marked = append(t.marked, e)
	}
	t.also(func() { e.deleted, e.by = was, by })
}

// also makes an undo part of the last one: a change of a row counts once.
func (t *Txn) also(f func()) {
	last := len(t.undo) - 1
	before := t.undo[last]
	t.undo[last] = func() { f(); before() }
}

// rollbackTo rolls back all changes after the first n. Locks stay.
func (t *Txn) rollbackTo(n int) {
	for i := len(t.undo) - 1; i >= n; i-- {
		t.undo[i]()
	}
	t.undo = t.undo[:n]
}

// toPoint rolls back to a savepoint. Locks and the snapshot stay, unless the savepoint was made before the
// transaction had used any table: the storage engine had not joined the transaction then, and ends its whole part.
func (t *Txn) toPoint(i int, end *Ending) {
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
	t.db.purge()
}

// rollback takes everything back and ends the transaction.
func (t *Txn) rollback(end *Ending) {
	if t.waits != nil {
		t.waits.cancel()
	}
	t.rollbackTo(0)
	t.ends(false)
	t.end(end)
}

// ends reports to the client how the transaction ends.
func (t *Txn) ends(committed bool) {
	if t.many {
		t.client.Ended(t, committed)
	}
}

// end gives up the locks, and forgets the transaction.
func (t *Txn) end(end *Ending) {
	t.ended = true
	t.releaseAll(end)
	t.db.open = slices.DeleteFunc(t.db.open, func(o *Txn) bool { return o == t })
	t.owner.forget()
	t.db.purge()
}

// commit enters the transaction's changes into the history of the server. Those of tables that were
// dropped meanwhile are gone with them.
func (db *Database) commit(t *Txn) {
	if len(t.changed) > 0 {
		db.commits++
		t.number = db.commits
		db.revision++
		for _, r := range t.changed {
			if db.has(r.table) {
				db.reportCommit(r, t)
			}
		}
		db.purgeable = append(db.purgeable, t)
	}
}

// Abandon ends a transaction whose commit waits for the host. Its changes stay hidden until it is completed.
func (t *Txn) Abandon(end *Ending) {
	t.ends(true)
	t.end(end)
}

// Complete enters the changes of an abandoned transaction into the history of the database.
func (t *Txn) Complete() { t.db.commit(t) }

// Purge removes old versions that no snapshot shows any more.
func (db *Database) Purge() { db.purge() }

// purge removes old versions of rows, and deleted rows, that no snapshot shows any more.
func (db *Database) purge() {
	oldest := db.commits
	for _, t := range db.open {
		if t.view >= 0 {
			oldest = min(oldest, t.view)
		}
	}
	for len(db.purgeable) > 0 && db.purgeable[0].number <= oldest {
		t := db.purgeable[0]
		db.purgeable = db.purgeable[1:]
		t.purge(oldest)
	}
}

func (t *Txn) purge(oldest int64) {
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
