package executor

import (
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// all executes the query, and returns all rows.
func (q *query) all(outer *env) (list [][]types.Value, err error) {
	next, err := q.open(outer)
	if err != nil {
		return nil, err
	}
	for {
		row, err := next()
		if row == nil || err != nil {
			return list, err
		}
		list = append(list, row)
	}
}

// open begins to execute the query. Rows are made when they are read: none after the last one that LIMIT wants. The
// order is PostgreSQL's: rows are found, grouped, sorted, made into results, locked, and counted by LIMIT.
func (q *query) open(outer *env) (rows, error) {
	e := outer.inner(len(q.scope.rtes))
	for _, c := range q.scope.ctes {
		e.begin(c)
	}
	next := lazily(func() (rows, error) { return q.results(e) })
	if len(q.marks) > 0 {
		next = q.locked(e, next)
	}
	return q.limited(e, q.visible(next)), nil
}

// lazily begins to read when the first row is read.
func lazily(begin func() (rows, error)) rows {
	var read rows
	return func() ([]types.Value, error) {
		if read == nil {
			var err error
			if read, err = begin(); err != nil {
				return nil, err
			}
		}
		return read()
	}
}

// results returns the rows before they are locked and counted.
func (q *query) results(e *env) (rows, error) {
	switch {
	case q.op != syntax.SetNone:
		next, err := q.combined(e)
		if err != nil {
			return nil, err
		}
		return q.sortedResults(next), nil
	case q.values != nil:
		return q.sortedResults(q.valueRows(e)), nil
	}
	read, err := q.plan.open(e)
	if err != nil {
		return nil, err
	}
	if q.grouped {
		if read, err = q.groups(e, read); err != nil {
			return nil, err
		}
	}
	if len(q.scope.windows) > 0 {
		if read, err = q.scope.windows[0].numbered(e, read); err != nil {
			return nil, err
		}
	}
	if q.distinct || q.scope.srf != nil && len(q.scope.srf.calls) > 0 {
		next := q.projected(e, read)
		if q.distinct {
			next = distinctRows(next, q.visibleTypes())
		}
		return q.sortedResults(next), nil
	}
	if len(q.order) > 0 && (q.grouped || len(q.scope.windows) > 0 || !q.plan.inOrder(q.sortColumns())) {
		if read, err = q.sorted(e, read); err != nil {
			return nil, err
		}
	}
	if len(q.on) > 0 {
		read = q.firstOf(e, read)
	}
	return q.projected(e, read), nil
}

// projected makes a result of each row.
func (q *query) projected(e *env, read cursor) rows {
	if srf := q.scope.srf; srf != nil && len(srf.calls) > 0 {
		return srf.expand(e, read, q.targets)
	}
	return func() ([]types.Value, error) {
		ok, err := read()
		if !ok || err != nil {
			return nil, err
		}
		out := make([]types.Value, len(q.targets))
		for i, v := range q.targets {
			if x, sorted := e.sortedBy[i]; sorted {
				out[i] = x
				continue
			}
			if out[i], err = v.eval(e); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
}

// visible leaves out what only the order needed.
func (q *query) visible(next rows) rows {
	n := len(q.columns)
	return func() ([]types.Value, error) {
		row, err := next()
		if row == nil || err != nil {
			return nil, err
		}
		return row[:n], nil
	}
}

// visibleTypes returns the types of the result's columns.
func (q *query) visibleTypes() (ts []types.OID) {
	for _, c := range q.columns {
		ts = append(ts, c.Type)
	}
	return ts
}

// limited counts the rows. LIMIT and OFFSET are evaluated when the first row is read.
func (q *query) limited(e *env, next rows) rows {
	if q.limit == nil && q.offset == nil {
		return next
	}
	left, skip, begun := int64(-1), int64(0), false
	q.bound = 0
	return func() ([]types.Value, error) {
		if !begun {
			begun = true
			var err error
			if skip, err = limitOf(e, q.offset, 0, pgerror.InvalidOffset, "OFFSET must not be negative"); err != nil {
				return nil, err
			}
			if left, err = limitOf(e, q.limit, -1, pgerror.InvalidLimit, "LIMIT must not be negative"); err != nil {
				return nil, err
			}
			if left >= 0 && len(q.marks) == 0 && left+skip < 1<<30 {
				q.bound = int(left + skip)
			}
			for ; skip > 0 && left != 0; skip-- {
				if row, err := next(); row == nil || err != nil {
					left = 0
					return nil, err
				}
			}
		}
		if left == 0 {
			return nil, nil
		}
		left--
		return next()
	}
}

// limitOf evaluates LIMIT or OFFSET.
func limitOf(e *env, v *value, none int64, code, message string) (int64, error) {
	if v == nil {
		return none, nil
	}
	x, err := v.eval(e)
	if x == nil || err != nil {
		return none, err
	}
	if n := x.(int64); n >= 0 {
		return n, nil
	}
	return 0, pgerror.New(code, "%s", message)
}

// held is the state of an environment at a row.
type held struct {
	rows   [][]types.Value
	tuples []*storage.Tuple
	groups []types.Value
	keys   []types.Value
	number int64
}

// hold keeps the present row.
func (e *env) hold() held {
	return held{rows: slices.Clone(e.rows), tuples: slices.Clone(e.tuples), groups: e.groups, number: e.number}
}

// restore makes a kept row the present one.
func (e *env) restore(h held) {
	e.rows, e.tuples, e.groups, e.number = h.rows, h.tuples, h.groups, h.number
}

// sorted reads all rows and sorts them.
func (q *query) sorted(e *env, read cursor) (cursor, error) {
	var list []held
	for {
		ok, err := read()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		h := e.hold()
		for _, k := range q.order {
			x, err := k.value.eval(e)
			if err != nil {
				return nil, err
			}
			h.keys = append(h.keys, x)
		}
		list = append(list, h)
	}
	list = q.sortHeld(list)
	return func() (bool, error) {
		if len(list) == 0 {
			return false, nil
		}
		h := list[0]
		list = list[1:]
		e.restore(h)
		e.sortedBy = nil
		for i, k := range q.order {
			if k.target >= 0 && k.value.volatile {
				if e.sortedBy == nil {
					e.sortedBy = map[int]types.Value{}
				}
				e.sortedBy[k.target] = h.keys[i]
			}
		}
		return true, nil
	}, nil
}

// sortHeld sorts rows. If only some are wanted, and they need not be locked, PostgreSQL keeps those in a heap.
func (q *query) sortHeld(list []held) []held {
	cmp := func(a, b held) int { return q.compare(a.keys, b.keys) }
	if q.bound > 0 && len(list) > 2*q.bound {
		return heapsort(list, q.bound, cmp)
	}
	quicksort(list, cmp)
	return list
}

// compare compares the values of the sort keys.
func (q *query) compare(a, b []types.Value) int {
	for i, k := range q.order {
		if c := k.compare(a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

// compare compares two values in the order of the key.
func (k sortKey) compare(a, b types.Value) int {
	if a == nil || b == nil {
		switch {
		case a == nil && b == nil:
			return 0
		case (a == nil) == k.nullsFirst:
			return -1
		}
		return 1
	}
	c := types.Compare(k.value.typ, a, b)
	if k.desc {
		return -c
	}
	return c
}

// sortedResults sorts results by their columns, if there is an order.
func (q *query) sortedResults(next rows) rows {
	if len(q.order) == 0 {
		return next
	}
	var list [][]types.Value
	read := false
	return func() ([]types.Value, error) {
		for !read {
			row, err := next()
			if err != nil {
				return nil, err
			}
			if row == nil {
				read = true
				quicksort(list, func(a, b []types.Value) int {
					for _, k := range q.order {
						if c := k.compare(a[k.target], b[k.target]); c != 0 {
							return c
						}
					}
					return 0
				})
				break
			}
			list = append(list, row)
		}
		if len(list) == 0 {
			return nil, nil
		}
		row := list[0]
		list = list[1:]
		return row, nil
	}
}

// firstOf leaves out rows whose values of DISTINCT ON are those of the row before.
func (q *query) firstOf(e *env, read cursor) cursor {
	var last []types.Value
	return func() (bool, error) {
		for {
			ok, err := read()
			if !ok || err != nil {
				return false, err
			}
			now, err := evalAll(e, q.on)
			if err != nil {
				return false, err
			}
			ts := make([]types.OID, len(q.on))
			for i, v := range q.on {
				ts[i] = v.typ
			}
			if last == nil || !sameValues(ts, last, now) {
				last = now
				return true, nil
			}
		}
	}
}

// sameValues reports whether two rows are not distinct.
func sameValues(ts []types.OID, a, b []types.Value) bool {
	for i, t := range ts {
		if (a[i] == nil) != (b[i] == nil) || a[i] != nil && types.Compare(t, a[i], b[i]) != 0 {
			return false
		}
	}
	return true
}

// distinctRows leaves out rows that were there before.
func distinctRows(next rows, ts []types.OID) rows {
	seen := map[string][][]types.Value{}
	return func() ([]types.Value, error) {
		for {
			row, err := next()
			if row == nil || err != nil {
				return nil, err
			}
			if remember(seen, ts, row) {
				return row, nil
			}
		}
	}
}

// remember adds a row to a set, and reports whether it is new there.
func remember(seen map[string][][]types.Value, ts []types.OID, row []types.Value) bool {
	key := hashKey(ts, row)
	for _, have := range seen[key] {
		if sameValues(ts, have, row) {
			return false
		}
	}
	seen[key] = append(seen[key], row)
	return true
}

// hashKey returns a text that is the same for equal rows; it may be the same for others.
func hashKey(ts []types.OID, row []types.Value) string {
	key := ""
	for i, t := range ts {
		switch x := row[i].(type) {
		case nil:
			key += "\x00n"
		case string, int64, bool, types.UUID, types.Timestamp:
			key += "\x00" + types.Text(t, x)
		}
	}
	return key
}
