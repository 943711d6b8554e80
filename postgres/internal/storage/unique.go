package storage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// duplicate returns the first tuple with a key that is, or may become, one of the table: PostgreSQL's dirty snapshot. If
// that depends on a transaction that goes on, it is busy. Self is not meant.
func (ix *Index) duplicate(b *Backend, key []types.Value, self *Tuple) (t *Tuple, busy *xact) {
	for i := ix.search(key, 0, 0); i < len(ix.entries) && ix.order(ix.entries[i].key, key) == 0; i++ {
		t := ix.entries[i].tuple
		if t == self || t.xmin.isAborted() {
			continue
		}
		if t.xmin.txn != b.txn && t.xmin.isRunning() {
			return t, t.xmin
		}
		u := t.updater()
		switch {
		case u == nil:
			return t, nil
		case u.by.txn != b.txn && u.by.isRunning():
			return t, u.by
		}
	}
	return nil, nil
}

// waitForDuplicate waits for a transaction on which it depends whether another tuple is a duplicate.
func (b *Backend) waitForDuplicate(other *Tuple, busy *xact, t *Tuple, context, relation string) error {
	if other.token != 0 && busy == other.xmin {
		return b.waitForToken(other)
	}
	return b.waitFor(busy, other.place(), fmt.Sprintf(context, t.CTID(), relation))
}

// enterUnique adds a tuple to an index; if that is unique it waits for others with the same key. The error is 23505 if there
// is one.
func (b *Backend) enterUnique(ix *Index, t *Tuple) error {
	key, applies, err := ix.Key(t.Row)
	if err != nil || !applies {
		return err
	}
	for ix.Unique && !slices.Contains(key, nil) {
		c, busy := ix.duplicate(b, key, t)
		if c == nil {
			break
		}
		if busy == nil {
			if err := b.conflictInIndex(ix); err != nil {
				return err
			}
			return ix.violated(key, "already exists")
		}
		if err := b.waitForDuplicate(c, busy, t, whileInserting, ix.Name); err != nil {
			return err
		}
	}
	if err := b.conflictInIndex(ix); err != nil {
		return err
	}
	return ix.enter(t)
}

// enterUnless adds a tuple to a unique index, unless another has, or may get, its key: then taken is set.
func (b *Backend) enterUnless(ix *Index, t *Tuple) (taken bool, err error) {
	key, applies, err := ix.Key(t.Row)
	if err != nil || !applies {
		return false, err
	}
	if !slices.Contains(key, nil) {
		if c, _ := ix.duplicate(b, key, t); c != nil {
			return true, nil
		}
	}
	if err := b.conflictInIndex(ix); err != nil {
		return false, err
	}
	return false, ix.enter(t)
}

// violated is the error about a key that the unique index has already.
func (ix *Index) violated(key []types.Value, what string) error {
	err := pgerror.New(pgerror.UniqueViolation, "duplicate key value violates unique constraint %q", ix.Name)
	if what != "already exists" {
		err = pgerror.New(pgerror.UniqueViolation, "could not create unique index %q", ix.Name)
	}
	texts := make([]string, len(key))
	for i, v := range key {
		texts[i] = "null"
		if v != nil {
			texts[i] = types.Text(ix.Types[i], v)
		}
	}
	err.Schema, err.Table, err.Constraint = ix.Table.Schema, ix.Table.Name, ix.Name
	return err.WithDetail("Key (%s)=(%s) %s.", strings.Join(ix.Texts, ", "), strings.Join(texts, ", "), what)
}

// checkUnique returns an error if two rows of the table have the same key in a new index.
func (ix *Index) checkUnique(b *Backend) error {
	var last []types.Value
	for _, e := range ix.entries {
		u := e.tuple.updater()
		if !ix.Unique || slices.Contains(e.key, nil) || e.tuple.xmin.isAborted() || u != nil {
			continue
		}
		if last != nil && ix.order(last, e.key) == 0 {
			return ix.violated(e.key, "is duplicated")
		}
		last = e.key
	}
	return nil
}
