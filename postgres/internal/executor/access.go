package executor

import (
	"cmp"
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// access is how the rows of a table are found.
type access struct {
	rte   *rte
	index *storage.Index // nil to read the whole table
	// equal are values for the first columns of the index; low and high bound the next one.
	equal             []*value
	low, high         *value
	openLow, openHigh bool
	each              *value // rather than equal: a list of values for the first column, each of which has a row at most
	bitmap            bool   // the rows of each are in the order of the table
	ordered           bool   // in the order of the index
	backward          bool
	used              []*value // the conditions that the index meets
	filters           []*value // the other ones, in the order in which they are evaluated
}

// sargable is a condition that an index can meet.
type sargable struct {
	cond   *value
	column int // the place among the columns of the table
	op     string
	value  *value
}

// mirrored are comparisons with their operands exchanged.
var mirrored = map[string]string{"=": "=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}

// sargables returns the conditions that compare a column of the table with what is known before its rows are.
func sargables(r *rte, conds []*value, bound relSet) (list []sargable) {
	for _, c := range conds {
		if c.op == nil || c.elements != nil || len(c.args) != 2 || mirrored[c.op.Name] == "" || !sameOrder(c.op.Left, c.op.Right) {
			continue
		}
		for i, name := range []string{c.op.Name, mirrored[c.op.Name]} {
			column, other := c.args[i], c.args[1-i]
			if ref := column.column; ref != nil && ref.level == 0 && ref.rte == r && ref.n >= 0 &&
				bound.has(other.rels) && !other.volatile {
				list = append(list, sargable{c, r.places[ref.n], name, other})
				break
			}
		}
	}
	return list
}

// sameOrder reports whether values of the two types are compared alike.
func sameOrder(a, b types.OID) bool {
	return a == b || isInteger(a) && isInteger(b) || isText(a) && isText(b)
}

// paths returns the ways to read a table: all of it, and by each index that some conditions fit.
func paths(r *rte, conds []*value, bound relSet) []*access {
	list := []*access{{rte: r}}
	if r.table == nil {
		return list
	}
	sargs := sargables(r, conds, bound)
	for _, ix := range r.table.Indexes {
		if ix.Partial || !isBTree(ix) {
			continue // a partial one is not used for queries here
		}
		p := &access{rte: r, index: ix}
		for _, column := range ix.Columns {
			s := find(sargs, column, "=")
			if s == nil {
				p.bound(sargs, column)
				break
			}
			p.equal, p.used = append(p.equal, s.value), append(p.used, s.cond)
		}
		list = append(list, p)
	}
	return list
}

// find finds a condition on a column.
func find(sargs []sargable, column int, ops ...string) *sargable {
	for i, s := range sargs {
		if s.column == column && slices.Contains(ops, s.op) {
			return &sargs[i]
		}
	}
	return nil
}

// bound bounds the column after those with equal values.
func (p *access) bound(sargs []sargable, column int) {
	if s := find(sargs, column, ">", ">="); s != nil {
		p.low, p.openLow, p.used = s.value, s.op == ">", append(p.used, s.cond)
	}
	if s := find(sargs, column, "<", "<="); s != nil {
		p.high, p.openHigh, p.used = s.value, s.op == "<", append(p.used, s.cond)
	}
}

// whole reports whether the access finds one row at most.
func (p *access) whole() bool {
	return p.index != nil && p.index.Unique && len(p.equal) == len(p.index.Columns)
}

// choose chooses the access to a table with the conditions that can be evaluated then. Sorted are the columns by which the
// rows are to be sorted, and limit is how many of them are read, or negative for all.
func choose(r *rte, conds []*value, bound relSet, sorted []sortColumn, limit float64) *access {
	var best *access
	var lowest float64
	c := costing{rte: r, conds: conds, rows: r.rows, limit: limit}
	for _, p := range paths(r, conds, bound) {
		for _, way := range p.ways(sorted) {
			cost := c.cost(way, len(sorted) > 0 && !way.sorts(sorted))
			if best == nil || cost < lowest {
				best, lowest = way, cost
			}
		}
	}
	if best.index == nil {
		if p := listAccess(r, conds, bound); p != nil {
			best = p
		}
	}
	for _, cond := range conds {
		if !slices.Contains(best.used, cond) {
			best.filters = append(best.filters, cond)
		}
	}
	slices.SortStableFunc(best.filters, func(a, b *value) int { return cmp.Compare(a.cost, b.cost) })
	return best
}

// ways returns the access as it is, in the order of the table, and in the order of the index.
func (p *access) ways(sorted []sortColumn) []*access {
	if p.index == nil {
		return []*access{p}
	}
	var list []*access
	if len(p.used) > 0 {
		heap := *p
		list = append(list, &heap)
	}
	forward := *p
	forward.ordered = true
	if len(p.used) > 0 || forward.sorts(sorted) {
		list = append(list, &forward)
	}
	back := forward
	back.backward = true
	if len(sorted) > 0 && back.sorts(sorted) {
		list = append(list, &back)
	}
	return list
}

// sortColumn is a column of the order that is wanted.
type sortColumn struct {
	column           int // the place among the columns of the table; -1 if it is none
	desc, nullsFirst bool
}

// sorts reports whether the rows are in the order that is wanted.
func (p *access) sorts(want []sortColumn) bool {
	if !p.ordered || len(want) == 0 {
		return false
	}
	at := 0
	for _, w := range want {
		if w.column < 0 {
			return false
		}
		if slices.Contains(p.index.Columns[:len(p.equal)], w.column) {
			continue // all rows have the same
		}
		at = max(at, len(p.equal))
		if at >= len(p.index.Columns) {
			return p.whole()
		}
		if p.index.Columns[at] != w.column || p.descending(at) != w.desc || p.nullsFirst(at) != w.nullsFirst {
			return false
		}
		at++
	}
	return true
}

func (p *access) descending(i int) bool {
	return (p.index.Descending != nil && p.index.Descending[i]) != p.backward
}

func (p *access) nullsFirst(i int) bool {
	return (p.index.NullsFirst != nil && p.index.NullsFirst[i]) != p.backward
}

// open returns the tuples for the present rows of the tables before it. An index that is not read in its order is read as a
// bitmap is: in the order of the table.
func (p *access) open(e *env) ([]*storage.Tuple, error) {
	if p.index == nil {
		return slices.Collect(p.rte.table.Scan(e.snapshot)), nil
	}
	if p.each != nil {
		list, err := p.openEach(e)
		if p.bitmap {
			slices.SortStableFunc(list, comparePlaces)
		}
		return list, err
	}
	rng := storage.Range{Backward: p.backward, OpenLow: p.openLow, OpenHigh: p.openHigh}
	for _, v := range p.equal {
		x, err := v.eval(e)
		if x == nil || err != nil {
			return nil, err
		}
		rng.Equal = append(rng.Equal, x)
	}
	for _, b := range []struct {
		v  *value
		to **types.Value
	}{{p.low, &rng.Low}, {p.high, &rng.High}} {
		if b.v == nil {
			continue
		}
		x, err := b.v.eval(e)
		if x == nil || err != nil {
			return nil, err
		}
		*b.to = &x
	}
	list := slices.Collect(p.index.Scan(e.snapshot, rng))
	if !p.ordered {
		slices.SortStableFunc(list, comparePlaces)
	}
	return list, nil
}

// openEach looks up each value of a list, in the order of the list.
func (p *access) openEach(e *env) (list []*storage.Tuple, err error) {
	x, err := p.each.eval(e)
	if x == nil || err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	t := p.index.Types[0]
	for _, item := range x.(types.Array).Items {
		if item == nil || seen[types.Text(t, item)] {
			continue
		}
		seen[types.Text(t, item)] = true
		for tuple := range p.index.Scan(e.snapshot, storage.Range{Equal: []types.Value{item}}) {
			list = append(list, tuple)
		}
	}
	return list, nil
}

// comparePlaces compares the places at which an index has two tuples of a table.
func comparePlaces(a, b *storage.Tuple) int { return cmp.Compare(a.Root(), b.Root()) }
