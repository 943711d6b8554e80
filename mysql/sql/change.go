package sql

import (
	"slices"
	"strings"
)

// change is a statement's change of a row: of the clustered record first, and then of those of the
// other indexes, one after the other. Each step may have to wait for a lock, while the steps before
// it remain done.
type change struct {
	t      *Txn
	row    *row
	values []Value // the new values of the row; nil if it is deleted
	before []Value // the old values of the row; nil if it is inserted
	// exclusive makes the search for duplicates lock them exclusively, because they will
	// be changed.
	exclusive bool
	step      int  // the next index
	marked    bool // its old record is marked
	// duplicate is the row that has a unique key already.
	duplicate *row
}

// run executes the change, as far as possible. The error is ErrWait if it has to wait;
// after another, such as a duplicate key, the caller must undo it.
func (c *change) run(tab *table) error {
	for ; c.step < len(tab.indexes); c.step++ {
		var err error
		if ix := tab.indexes[c.step]; ix.isClustered() {
			err = c.clustered(ix)
		} else {
			err = c.secondary(ix)
		}
		if err != nil {
			return err
		}
		c.marked = false
	}
	return nil
}

// clustered changes the row itself.
func (c *change) clustered(ix *index) error {
	if c.before != nil {
		if err := c.t.lockImplicitly(c.row.entry); err != nil {
			return err
		}
		c.t.write(c.row, c.values)
		return nil
	}
	key := c.primaryKey(ix)
	e := ix.exact(key)
	if e == nil {
		if err := c.t.lockGap(ix.at(ix.find(key))); err != nil {
			return err
		}
		c.row = &row{table: ix.table}
		c.row.entry = &entry{index: ix, key: key, row: c.row, by: c.t}
		ix.insert(c.row.entry)
		c.t.write(c.row, c.values)
		c.t.takeNew(c.row.entry)
		return nil
	}
	if err := c.t.lock(e, c.duplicateMode()|recordOnly, Patience{}); err != nil {
		return err
	}
	if e.row.latest() != nil {
		c.duplicate = e.row
		return Fail(Duplicate, keyText(key), ix.name)
	}
	if err := c.t.lockImplicitly(e); err != nil {
		return err
	}
	c.row = e.row
	c.t.write(c.row, c.values)
	c.t.takeNew(e)
	return nil
}

// primaryKey returns the key of a new row.
func (c *change) primaryKey(ix *index) []Value {
	if len(ix.columns) == 0 {
		ix.table.hidden++
		return []Value{IntValue(ix.table.hidden)}
	}
	return ix.valuesOf(c.values)
}

func (c *change) duplicateMode() mode {
	if c.exclusive {
		return exclusive
	}
	return nextKey
}

// secondary changes the records of another index: the old one is marked, and a new one inserted.
func (c *change) secondary(ix *index) error {
	var old, key []Value
	if c.before != nil {
		old = ix.keyOf(c.before, c.row.entry.key)
	}
	if c.values != nil {
		key = ix.keyOf(c.values, c.row.entry.key)
	}
	if old != nil && key != nil && ix.order(old, key) == 0 {
		return nil
	}
	if old != nil && !c.marked {
		if e := ix.exact(old); e != nil {
			if err := c.t.lockImplicitly(e); err != nil {
				return err
			}
			c.t.mark(e, true)
		}
		c.marked = true
	}
	if key == nil {
		return nil
	}
	if err := c.unique(ix); err != nil {
		return err
	}
	return c.insertSecondary(ix, key)
}

// unique looks for a duplicate of a unique key, and locks the records that it looks at, with
// the gaps, and the record after them.
func (c *change) unique(ix *index) error {
	key := ix.valuesOf(c.values)
	if !ix.unique || slices.ContainsFunc(key, isNullValue) {
		return nil
	}
	i := ix.find(key)
	if i == len(ix.entries) || ix.order(ix.entries[i].key, key) != 0 {
		return nil
	}
	for e := ix.entries[i]; ; e = ix.after(e) {
		if err := c.t.lock(e, c.duplicateMode(), Patience{}); err != nil {
			return err
		}
		if e == ix.end || ix.order(e.key, key) != 0 {
			return nil
		}
		if !e.deleted {
			c.duplicate = e.row
			return Fail(Duplicate, keyText(key), ix.name)
		}
	}
}

func (c *change) insertSecondary(ix *index, key []Value) error {
	if e := ix.exact(key); e != nil { // a deleted one
		if err := c.t.lockImplicitly(e); err != nil {
			return err
		}
		c.t.mark(e, false)
		return nil
	}
	if err := c.t.lockGap(ix.at(ix.find(key))); err != nil {
		return err
	}
	e := &entry{index: ix, key: key, row: c.row, by: c.t}
	ix.insert(e)
	c.t.also(func() { ix.remove(e) })
	return nil
}

// lockImplicitly waits until no other transaction has a lock on a record that the transaction is
// about to change. The change then locks it.
func (t *Txn) lockImplicitly(e *entry) error {
	if t.wouldWait(e, exclusive|recordOnly) {
		return t.lock(e, exclusive|recordOnly, Patience{})
	}
	return nil
}

// lockGap waits until no other transaction has locked the gap before a record.
func (t *Txn) lockGap(e *entry) error {
	const m = exclusive | gap | insertIntention
	if t.owner.isDoomed() {
		return ErrDeadlock
	}
	if with, _ := t.conflict(e, m); with != nil {
		return t.request(e, m, Patience{})
	}
	return nil
}

// takeNew notes that the transaction holds a record that it has inserted.
func (t *Txn) takeNew(e *entry) {
	t.inserted = append(t.inserted, e)
	e.taken(t)
}

// keyText returns a key in an error.
func keyText(key []Value) string {
	parts := make([]string, len(key))
	for i, v := range key {
		parts[i] = v.String()
	}
	return strings.Join(parts, "-")
}
