package storage

import (
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// Savepoint defines a savepoint.
func (b *Backend) Savepoint(name string) {
	b.txn.stack = append(b.txn.stack, &xact{txn: b.txn, name: name})
}

// savepoint returns the place of a savepoint in the stack, or an error.
func (t *Txn) savepoint(name string) (int, error) {
	for i := len(t.stack) - 1; i > 0; i-- {
		if t.stack[i].name == name {
			return i, nil
		}
	}
	return 0, pgerror.New(pgerror.InvalidSavepoint, "savepoint %q does not exist", name)
}

// RollbackTo returns to a savepoint. The error is 3B001 if there is none of that name.
func (b *Backend) RollbackTo(name string) error {
	t := b.txn
	i, err := t.savepoint(name)
	if err != nil {
		return err
	}
	for len(t.stack) > i {
		b.abortPart()
		t.stack = t.stack[:len(t.stack)-1]
	}
	t.failed = false
	b.Savepoint(name)
	return nil
}

// Release forgets a savepoint and those after it. The error is 3B001 if there is none of that name.
func (b *Backend) Release(name string) error {
	t := b.txn
	i, err := t.savepoint(name)
	if err != nil {
		return err
	}
	for len(t.stack) > i {
		t.merge()
	}
	return nil
}

// Depth returns the number of savepoints that the transaction has.
func (t *Txn) Depth() int { return len(t.stack) - 1 }

// merge makes the innermost savepoint a part of what is around it.
func (t *Txn) merge() {
	x := t.current()
	t.stack = t.stack[:len(t.stack)-1]
	p := t.current()
	x.into = p
	p.undo, p.onCommit = append(p.undo, x.undo...), append(p.onCommit, x.onCommit...)
	x.undo, x.onCommit = nil, nil
	for _, h := range t.backend.held {
		h.reassign(x, p)
	}
	t.backend.db.reassign(x, p)
}

// reassign makes the grants of one owner those of another.
func (h *holding) reassign(from, to *xact) {
	var list []grant
	for _, g := range h.grants {
		if g.owner == from {
			g.owner = to
		}
		if i := slices.IndexFunc(list, func(o grant) bool { return o.mode == g.mode && o.owner == g.owner }); i >= 0 {
			list[i].count += g.count
			continue
		}
		list = append(list, g)
	}
	h.grants = list
}
