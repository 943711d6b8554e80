package storage

import (
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// Insert adds a row. The error is 23505 if a unique index has one of its keys; it waits for other transactions that have
// inserted or deleted one.
func (b *Backend) Insert(t *Table, row []types.Value) (*Tuple, error) {
	n, err := b.newRow(t, row)
	if err != nil {
		return nil, err
	}
	for _, ix := range t.ordered() {
		if err := b.enterUnique(ix, n); err != nil {
			return nil, err
		}
	}
	b.inserted(n)
	return n, nil
}

// newRow puts a new row into the table.
func (b *Backend) newRow(t *Table, row []types.Value) (*Tuple, error) {
	if err := b.conflictIn(t, nil); err != nil {
		return nil, err
	}
	n := b.version(row)
	t.add(n)
	b.txn.ops = append(b.txn.ops, op{n.xmin, nil, n})
	return n, nil
}

// version returns a new tuple of the present command.
func (b *Backend) version(row []types.Value) *Tuple {
	return &Tuple{Row: row, xmin: b.writer(), cmin: b.txn.commands, owner: b.client.Origin(), read: b.client.ClockRead()}
}

// inserted notes that the transaction has a row of its own.
func (b *Backend) inserted(n *Tuple) { b.db.take(b, n.place(), n.xmin) }

// ordered returns the indexes in the order in which PostgreSQL maintains them: that of their OIDs.
func (t *Table) ordered() []*Index {
	return slices.SortedFunc(slices.Values(t.Indexes), func(a, b *Index) int { return int(a.OID) - int(b.OID) })
}

// InsertUnless adds a row, unless one of the arbiters has a row with its key: then it returns that as the conflict. It waits for
// other transactions that have inserted one. Arbiters are the unique indexes of an ON CONFLICT; without any, all are.
// DoNothing is set for ON CONFLICT DO NOTHING: in REPEATABLE READ, a conflict with a row that the snapshot does not show is
// an error, 40001.
func (b *Backend) InsertUnless(s *Snapshot, t *Table, row []types.Value, arbiters []*Index, doNothing bool) (added, conflict *Tuple, err error) {
	if len(arbiters) == 0 {
		arbiters = slices.DeleteFunc(t.ordered(), func(ix *Index) bool { return !ix.Unique })
	}
	for {
		c, err := b.arbitrate(t, row, arbiters)
		if err != nil {
			return nil, nil, err
		}
		if c != nil {
			if doNothing {
				err = s.mustShow(c)
			}
			return nil, c, err
		}
		n, err := b.insertSpeculatively(t, row, arbiters)
		if err != nil || n != nil {
			return n, nil, err
		}
	}
}

// arbitrate returns a row that has one of the keys that arbiters have for a new row, or nil.
func (b *Backend) arbitrate(t *Table, row []types.Value, arbiters []*Index) (*Tuple, error) {
	for _, ix := range t.ordered() {
		if !slices.Contains(arbiters, ix) {
			continue
		}
		key, applies, err := ix.Key(row)
		if err != nil {
			return nil, err
		}
		for applies && !slices.Contains(key, nil) {
			c, busy := ix.duplicate(b, key, nil)
			if busy == nil {
				if c != nil {
					return c, nil
				}
				break
			}
			if err := b.waitForDuplicate(c, busy, c, whileChecking, t.Name); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

// insertSpeculatively adds a row, and takes it back if an arbiter has got its key meanwhile: then it returns nil.
func (b *Backend) insertSpeculatively(t *Table, row []types.Value, arbiters []*Index) (*Tuple, error) {
	n, err := b.newRow(t, row)
	if err != nil {
		return nil, err
	}
	b.db.token++
	n.token = b.db.token
	g, owner := lockTag{xact: n.xmin, token: n.token}, b.txn.current()
	if _, err := b.acquire(request{tag: g, mode: Exclusive, owner: owner}); err != nil {
		return nil, err
	}
	defer b.release(g, Exclusive, owner)
	for _, ix := range t.ordered() {
		var taken bool
		if slices.Contains(arbiters, ix) {
			taken, err = b.enterUnless(ix, n)
		} else {
			err = b.enterUnique(ix, n)
		}
		if err != nil {
			return nil, err
		}
		if taken {
			n.kill()
			return nil, nil
		}
	}
	n.token = 0
	b.inserted(n)
	return n, nil
}

// kill takes a tuple back that was inserted speculatively.
func (t *Tuple) kill() {
	x := t.xmin
	t.xmin = &xact{txn: x.txn, id: x.id, aborted: true}
	t.token = 0
	x.txn.ops = slices.DeleteFunc(x.txn.ops, func(o op) bool { return o.now == t })
	t.remove()
}

// Update replaces a tuple by a row. If the outcome is Updated, the newest version is locked and nothing was changed: the
// statement checks its conditions again and calls Update for that.
func (b *Backend) Update(s *Snapshot, t *Tuple, row []types.Value) (newest *Tuple, o Outcome, err error) {
	mode := NoKeyUpdate
	if t.changesKey(row) {
		mode = Update
	}
	newest, o, err = b.seize(s, t, mode, whileUpdating)
	if err != nil || o != Done {
		return newest, o, err
	}
	n := b.version(row)
	n.line, n.xmax = t.line, t.xmax.kept()
	hot := t.isHot(row)
	if hot {
		n.root = t.root
	}
	t.table.add(n)
	t.next, t.cmax = n, b.txn.commands
	b.txn.ops = append(b.txn.ops, op{n.xmin, t, n})
	b.mark(t, mode, true)
	for _, ix := range t.table.ordered() {
		if hot {
			err = ix.enter(n)
		} else {
			err = b.enterUnique(ix, n)
		}
		if err != nil {
			return nil, Done, err
		}
	}
	b.inserted(n)
	return n, Done, nil
}

// Delete deletes a tuple. If the outcome is Updated, the newest version is locked and nothing was changed.
func (b *Backend) Delete(s *Snapshot, t *Tuple) (newest *Tuple, o Outcome, err error) {
	newest, o, err = b.seize(s, t, Update, whileDeleting)
	if err != nil || o != Done {
		return newest, o, err
	}
	t.next, t.cmax = nil, b.txn.commands
	b.txn.ops = append(b.txn.ops, op{b.writer(), t, nil})
	b.mark(t, Update, true)
	return t, Done, nil
}

// changesKey reports whether a row differs from the tuple in a column of a unique index that can be referenced.
func (t *Tuple) changesKey(row []types.Value) bool {
	return slices.ContainsFunc(t.table.Indexes, func(ix *Index) bool {
		return ix.Unique && !ix.Partial && !slices.Contains(ix.Columns, -1) && t.differs(row, ix.Columns)
	})
}

// isHot reports whether indexes keep the entry that they have when a row replaces the tuple.
func (t *Tuple) isHot(row []types.Value) bool {
	return !slices.ContainsFunc(t.table.Indexes, func(ix *Index) bool { return t.differs(row, ix.Uses) })
}

// differs reports whether a row differs from the tuple in some columns.
func (t *Tuple) differs(row []types.Value, columns []int) bool {
	return slices.ContainsFunc(columns, func(i int) bool {
		a, c := t.Row[i], row[i]
		if a == nil || c == nil {
			return (a == nil) != (c == nil)
		}
		kind := t.table.Columns[i].Type
		return types.Text(kind, a) != types.Text(kind, c)
	})
}

// seize waits until the transaction may change a tuple, as heap_update and heap_delete do. If it was replaced meanwhile, it locks
// the newest version.
func (b *Backend) seize(s *Snapshot, t *Tuple, mode RowMode, context string) (*Tuple, Outcome, error) {
	b.assign(b.txn.current())
	st, err := b.waitToChange(t, s.command, mode, context)
	what := "update"
	if st == tupleDeleted {
		what = "delete"
	}
	switch {
	case err != nil:
		return nil, Done, err
	case st == tupleOK:
		return t, Done, b.conflictIn(t.table, t)
	case st == tupleInvisible, st == tupleSelfModified:
		return nil, SelfModified, nil
	case b.txn.Level != ReadCommitted:
		return nil, Done, concurrent(what)
	case st == tupleDeleted:
		return nil, Deleted, nil
	}
	newest, st, err := b.lockNewest(t, s.command, mode, Block, false)
	switch {
	case err != nil:
		return nil, Done, err
	case st == tupleOK:
		return newest, Updated, nil
	case st == tupleInvisible, st == tupleSelfModified:
		return nil, SelfModified, nil
	}
	return nil, Deleted, nil
}

// waitToChange waits for those whose marks on a tuple conflict with a change.
func (b *Backend) waitToChange(t *Tuple, command int, mode RowMode, context string) (status, error) {
	q := turn{backend: b, tuple: t, mode: mode}
	defer q.leave()
	for {
		st := t.status(b, command)
		if st != tupleBeingModified {
			return st, nil
		}
		m := t.xmax
		if m.multi {
			list, own := m.conflicting(b.txn, mode)
			if len(list) == 0 {
				return t.settled(), nil
			}
			if !own {
				if _, err := q.take(Block); err != nil {
					return st, err
				}
			}
		} else {
			k := m.list[0]
			if k.by.txn == b.txn || mode == NoKeyUpdate && k.mode == KeyShare && !k.update {
				return tupleOK, nil
			}
			if _, err := q.take(Block); err != nil {
				return st, err
			}
		}
		if _, err := b.waitForMarks(t, m, mode, Block, context); err != nil {
			return st, err
		}
		if t.xmax == m {
			return t.settled(), nil
		}
	}
}
