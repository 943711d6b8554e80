package storage

import (
	"fmt"
	"iter"
	"slices"
	"sort"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// Tuple is a version of a row.
type Tuple struct {
	// Row has the values. They must not be changed.
	Row []types.Value

	table  *Table
	number int64 // its place in the table, from 1
	root   int64 // the place at which indexes have it: that of the first of versions with the same keys
	line   int64 // the place of the row's first version
	dead   bool  // it is not in the table any more

	xmin       *xact
	cmin, cmax int
	xmax       *marks // nil if nobody has locked or changed it
	next       *Tuple // by which it was replaced
	token      int64  // of a speculative insertion that is not finished

	created int64        // the revision at which the row was created
	owner   model.Origin // the request that has written it
	read    model.Stamp  // when the server's clock was read before
}

// tuplesPerPage is how many tuples are taken for a page of PostgreSQL, where it matters.
const tuplesPerPage = 100

// Table returns the tuple's table.
func (t *Tuple) Table() *Table { return t.table }

func (t *Tuple) page() int64 { return (t.number - 1) / tuplesPerPage }

// CTID returns the place of the tuple in its table, as "(0,1)".
func (t *Tuple) CTID() string { return fmt.Sprintf("(%d,%d)", t.page(), (t.number-1)%tuplesPerPage+1) }

// Root returns the place in the table at which its indexes have the tuple: that of the first of the versions with the same
// keys. It is in the order of the places that a bitmap has.
func (t *Tuple) Root() int64 { return t.root }

// Xmin and Xmax return the numbers of the transactions that have written the tuple, and that have deleted, replaced or
// locked it; 0 if none has.
func (t *Tuple) Xmin() int64 { return t.xmin.id }

// Xmax is described with Xmin.
func (t *Tuple) Xmax() int64 {
	if t.xmax == nil {
		return 0
	}
	return t.xmax.list[len(t.xmax.list)-1].by.id
}

// updater returns the mark of the transaction that has replaced or deleted the tuple, or nil.
func (t *Tuple) updater() *mark { return t.xmax.updater() }

// add puts a new tuple at the end of the table.
func (t *Table) add(n *Tuple) {
	t.last++
	n.table, n.number = t, t.last
	if n.root == 0 {
		n.root = n.number
	}
	if n.line == 0 {
		n.line = n.number
	}
	t.heap = append(t.heap, n)
}

// find returns the place in the heap of the first tuple with at least a number.
func (t *Table) find(number int64) int {
	return sort.Search(len(t.heap), func(i int) bool { return t.heap[i].number >= number })
}

// remove takes the tuple out of its table and its indexes.
func (t *Tuple) remove() {
	if t.dead {
		return
	}
	t.dead = true
	if i := t.table.find(t.number); i < len(t.table.heap) && t.table.heap[i] == t {
		t.table.heap = slices.Delete(t.table.heap, i, i+1)
	}
	for _, ix := range t.table.Indexes {
		ix.remove(t)
	}
}

// Scan returns the tuples of a table that a snapshot shows, in the order of their places. In a serializable transaction it
// may end early: see [Snapshot.Err].
func (t *Table) Scan(s *Snapshot) iter.Seq[*Tuple] {
	return func(yield func(*Tuple) bool) {
		s.readTable(t)
		last := t.last
		for number := int64(1); ; {
			i := t.find(number)
			if i == len(t.heap) || t.heap[i].number > last {
				return
			}
			n := t.heap[i]
			number = n.number + 1
			shown := s.Shows(n)
			if !s.conflictOut(n, shown) || shown && !yield(n) {
				return
			}
		}
	}
}

// entry is a tuple in an index.
type entry struct {
	key   []types.Value
	tuple *Tuple
}

// order compares keys of the index, or their beginnings.
func (ix *Index) order(a, b []types.Value) int {
	for i := range min(len(a), len(b)) {
		if c := ix.compare(i, a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

// compare compares values of a column of the key, in the order of the index.
func (ix *Index) compare(column int, a, b types.Value) int {
	down := column < len(ix.Descending) && ix.Descending[column]
	first := down
	if column < len(ix.NullsFirst) {
		first = ix.NullsFirst[column]
	}
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil && first, b == nil && !first:
		return -1
	case a == nil || b == nil:
		return 1
	case down:
		return types.Compare(ix.Types[column], b, a)
	}
	return types.Compare(ix.Types[column], a, b)
}

// before reports whether an entry is before another place of the index.
func (ix *Index) before(e entry, key []types.Value, root, number int64) bool {
	if c := ix.order(e.key, key); c != 0 {
		return c < 0
	}
	if e.tuple.root != root {
		return e.tuple.root < root
	}
	return e.tuple.number < number
}

func (ix *Index) search(key []types.Value, root, number int64) int {
	return sort.Search(len(ix.entries), func(i int) bool { return !ix.before(ix.entries[i], key, root, number) })
}

// enter adds a tuple, if the index applies to it.
func (ix *Index) enter(t *Tuple) error {
	key, applies, err := ix.Key(t.Row)
	if err != nil || !applies {
		return err
	}
	i := ix.search(key, t.root, t.number)
	ix.entries = slices.Insert(ix.entries, i, entry{key, t})
	return nil
}

// remove takes a tuple out of the index.
func (ix *Index) remove(t *Tuple) {
	if key, applies, err := ix.Key(t.Row); err == nil && applies {
		if i := ix.search(key, t.root, t.number); i < len(ix.entries) && ix.entries[i].tuple == t {
			ix.entries = slices.Delete(ix.entries, i, i+1)
		}
	}
}

// rebuild enters all tuples anew.
func (ix *Index) rebuild() error {
	ix.entries = nil
	for _, t := range ix.Table.heap {
		if err := ix.enter(t); err != nil {
			return err
		}
	}
	return nil
}

// Range is a range of an index's keys.
type Range struct {
	// Equal are values for the first columns of the key.
	Equal []types.Value
	// Low and High bound the column after those; nil means no bound. They include values equal to them unless they are
	// open. Low is the lower value, also in a column with descending order.
	Low, High         *types.Value
	OpenLow, OpenHigh bool
	// Nulls asks for rows in which the column after those of Equal is null, NotNull for those in which it is not. Without
	// bounds and these all are meant.
	Nulls, NotNull bool
	Backward       bool
}

// Scan returns the tuples in a range of the index that a snapshot shows, in the order of the index; those with equal keys in
// the order of their places. Rows to which the index does not apply are not among them.
func (ix *Index) Scan(s *Snapshot, r Range) iter.Seq[*Tuple] {
	return func(yield func(*Tuple) bool) {
		s.readIndex(ix)
		list := ix.within(r)
		if r.Backward {
			slices.Reverse(list)
		}
		for _, n := range list {
			shown := s.Shows(n)
			if shown {
				s.readTuple(n)
			}
			if !s.conflictOut(n, shown) || shown && !yield(n) {
				return
			}
		}
	}
}

// within returns the tuples of a range.
func (ix *Index) within(r Range) (list []*Tuple) {
	if slices.Contains(r.Equal, nil) {
		return nil
	}
	for i := ix.search(r.Equal, 0, 0); i < len(ix.entries); i++ {
		e := ix.entries[i]
		if ix.order(e.key, r.Equal) != 0 {
			break
		}
		if len(r.Equal) == len(ix.Types) || r.contains(e.key[len(r.Equal)], ix.Types[len(r.Equal)]) {
			list = append(list, e.tuple)
		}
	}
	return list
}

// contains reports whether the range contains a value of the column after those of Equal.
func (r *Range) contains(v types.Value, t types.OID) bool {
	switch {
	case r.Nulls:
		return v == nil
	case v == nil:
		return !r.NotNull && r.Low == nil && r.High == nil
	case r.Low != nil && (*r.Low == nil || !above(types.Compare(t, v, *r.Low), r.OpenLow)):
		return false
	case r.High != nil && (*r.High == nil || !above(types.Compare(t, *r.High, v), r.OpenHigh)):
		return false
	}
	return true
}

// above reports whether a comparison is greater, or equal unless the bound is open.
func above(c int, open bool) bool { return c > 0 || c == 0 && !open }
