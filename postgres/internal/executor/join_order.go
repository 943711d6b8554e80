package executor

import (
	"cmp"
	"math"
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// fromPlan says in which order the parts of FROM are read: the rows of each for every row of those before it.
type fromPlan struct {
	gate  []*value // conditions that depend on no table: they are evaluated once
	steps []*step
}

// step is a part of FROM in that order.
type step struct {
	rte     *rte
	access  *access
	filters []*value
	outer   *fromPlan // of a left join: the part that may have no row
	nullRTE []*rte    // its tables
	reverse bool      // the rows are read as from a hash table: the last one first
}

// wanted is the order in which the rows are to be, and how many of them are read; negative for all.
type wanted struct {
	sorted []sortColumn
	limit  float64
}

// planFrom plans the reading of parts that are joined with conditions. Bound are the tables whose rows are known before.
func planFrom(parts []*joined, conds []*value, bound relSet, w wanted) *fromPlan {
	var open []*joined
	for _, p := range parts {
		open, conds = p.flatten(open, conds)
	}
	plan := &fromPlan{}
	var late []*value
	conds = slices.DeleteFunc(slices.Clone(conds), func(c *value) bool {
		if c.rels&^bound != 0 {
			return false
		}
		if c.volatile && len(open) > 0 {
			late = append(late, c)
		} else {
			plan.gate = append(plan.gate, c)
		}
		return true
	})
	if len(open) > 1 || len(open) == 1 && open[0].rte == nil {
		w = wanted{limit: -1}
	}
	hash := hashJoin(open, conds, bound)
	for len(open) > 0 {
		i := next(open, conds, bound)
		if len(open) == 2 && hash >= 0 {
			i = hash
		}
		part := open[i]
		open = slices.Delete(open, i, i+1)
		bound |= part.rels
		var here []*value
		conds = slices.DeleteFunc(conds, func(c *value) bool {
			if bound.has(c.rels) {
				here = append(here, c)
				return true
			}
			return false
		})
		if len(open) == 0 {
			here = append(here, late...)
		}
		if hash >= 0 && len(open) == 0 {
			plan.addHashed(part, here)
		} else {
			plan.add(part, here, bound&^part.rels, w)
		}
	}
	return plan
}

// addHashed adds the part that is hashed: it is read by itself.
func (plan *fromPlan) addHashed(part *joined, conds []*value) {
	plan.add(part, within(conds, part.rels), 0, wanted{limit: -1})
	s := plan.steps[len(plan.steps)-1]
	s.reverse = true
	for _, c := range conds {
		if part.rels.has(c.rels) {
			continue
		}
		if s.access != nil {
			s.access.filters = append(s.access.filters, c)
		} else {
			s.filters = append(s.filters, c)
		}
	}
}

// hashJoin returns the place of the part that is read first if the rows of the other of two are hashed, since looking these up
// would cost more; -1 if not.
func hashJoin(open []*joined, conds []*value, bound relSet) int {
	if len(open) != 2 || open[0].rte == nil || open[1].rte == nil || open[0].rte.rels|open[1].rte.rels != 0 {
		return -1
	}
	equal := slices.ContainsFunc(conds, func(c *value) bool {
		return c.op != nil && c.op.Name == "=" && len(c.args) == 2 && (c.args[0].rels == open[0].rels && c.args[1].rels == open[1].rels ||
			c.args[0].rels == open[1].rels && c.args[1].rels == open[0].rels)
	})
	if !equal {
		return -1
	}
	first := 0
	if open[0].expected(within(conds, open[0].rels), 0) < open[1].expected(within(conds, open[1].rels), 0) {
		first = 1
	}
	p, other := open[first], open[1-first]
	if p.rte.table == nil {
		return first
	}
	k := other.expected(within(conds, other.rels), 0)
	c := costing{rte: p.rte, conds: within(conds, bound|p.rels), rows: p.rte.rows, limit: -1}
	for _, path := range paths(p.rte, conds, bound|other.rels) {
		if path.whole() && c.hashed(k) >= c.lookups(k)*1.01 {
			return -1
		}
	}
	return first
}

// flatten adds the parts of inner joins to a list, and their conditions to another.
func (j *joined) flatten(parts []*joined, conds []*value) ([]*joined, []*value) {
	if j.rte != nil || j.kind != syntax.InnerJoin {
		return append(parts, j), conds
	}
	parts, conds = j.left.flatten(parts, conds)
	parts, conds = j.right.flatten(parts, conds)
	return parts, append(slices.Clone(conds), j.on...)
}

// next returns the part with the fewest rows for one row of those before it.
func next(open []*joined, conds []*value, bound relSet) int {
	best, least := -1, 0.0
	for i, p := range open {
		if p.rte != nil && !bound.has(p.rte.rels) {
			continue
		}
		if n := p.expected(conds, bound); best < 0 || n < least {
			best, least = i, n
		}
	}
	return max(best, 0)
}

// expected estimates how many rows a part has for one row of those before it.
func (j *joined) expected(conds []*value, bound relSet) float64 {
	if j.rte == nil {
		if j.kind == syntax.LeftJoin {
			return j.left.expected(conds, bound)
		}
		return math.Max(j.left.expected(conds, bound), j.right.expected(conds, bound))
	}
	var here []*value
	for _, c := range conds {
		if (bound | j.rels).has(c.rels) {
			here = append(here, c)
		}
	}
	if j.rte.table == nil {
		return j.rte.rows
	}
	for _, p := range paths(j.rte, here, bound) {
		if p.whole() {
			return 1
		}
	}
	c := costing{rte: j.rte, conds: here, rows: j.rte.rows}
	return clamp(j.rte.rows * c.selectivity(here))
}

// add adds a part to the plan, with the conditions that can be evaluated once it has a row.
func (plan *fromPlan) add(part *joined, conds []*value, bound relSet, w wanted) {
	if part.rte == nil { // a left join
		inner := planFrom([]*joined{part.left}, within(conds, bound|part.left.rels), bound, wanted{limit: -1})
		plan.steps = append(plan.steps, inner.steps...)
		if len(inner.gate) > 0 && len(inner.steps) > 0 {
			inner.steps[0].filters = append(inner.steps[0].filters, inner.gate...)
		}
		s := &step{outer: planFrom([]*joined{part.right}, part.on, bound|part.left.rels, wanted{limit: -1})}
		part.right.tables(func(r *rte) { s.nullRTE = append(s.nullRTE, r) })
		for _, c := range conds {
			if !(bound | part.left.rels).has(c.rels) {
				s.filters = append(s.filters, c)
			}
		}
		plan.steps = append(plan.steps, s)
		return
	}
	s := &step{rte: part.rte}
	if part.rte.table == nil {
		s.filters = slices.Clone(conds)
		slices.SortStableFunc(s.filters, func(a, b *value) int { return cmp.Compare(a.cost, b.cost) })
	} else if s.access = semiJoin(part.rte, conds); s.access == nil {
		s.access = choose(part.rte, conds, bound, w.sorted, w.limit)
	}
	plan.steps = append(plan.steps, s)
}

// within returns the conditions on the tables of a set.
func within(conds []*value, set relSet) (list []*value) {
	for _, c := range conds {
		if set.has(c.rels) {
			list = append(list, c)
		}
	}
	return list
}

// semiJoin returns the access for column IN (query) with few rows, which PostgreSQL reads first and looks up, or nil.
func semiJoin(r *rte, conds []*value) *access {
	for i, c := range conds {
		if c.elements == nil || c.elements.typ != types.RecordOID || c.elements.eval == nil || !fewLookups(r, c) {
			continue
		}
		ref := c.args[0].column
		if ref == nil || ref.rte != r || ref.level > 0 || ref.n < 0 || !sameOrder(c.op.Left, c.op.Right) {
			continue
		}
		for _, ix := range r.table.Indexes {
			if ix.Unique && !ix.Partial && len(ix.Columns) == 1 && ix.Columns[0] == r.places[ref.n] {
				p := &access{rte: r, index: ix, each: c.elements, used: []*value{c}}
				p.filters = slices.Delete(slices.Clone(conds), i, i+1)
				return p
			}
		}
	}
	return nil
}

// fewLookups reports whether looking the rows of a query up costs less than hashing them.
func fewLookups(r *rte, cond *value) bool {
	c := costing{rte: r, rows: r.rows, limit: -1}
	k := clamp(float64(cond.count))
	return c.lookups(k)*1.01 < c.hashed(k)
}

// reversed reads all rows and returns them in the reverse order.
func reversed(read rows) (rows, error) {
	var list [][]types.Value
	for {
		row, err := read()
		if err != nil {
			return nil, err
		}
		if row == nil {
			break
		}
		list = append(list, row)
	}
	slices.Reverse(list)
	return listed(list), nil
}

// inOrder reports whether the plan gives the rows in the order that is wanted.
func (plan *fromPlan) inOrder(sorted []sortColumn) bool {
	return len(plan.steps) == 1 && plan.steps[0].access != nil && plan.steps[0].access.sorts(sorted)
}

// cursor goes to the next row, and reports false at the end.
type cursor func() (bool, error)

// open begins to read: each call of the cursor sets the rows in the environment.
func (plan *fromPlan) open(e *env) (cursor, error) {
	if ok, err := allTrue(e, plan.gate); !ok || err != nil {
		return func() (bool, error) { return false, nil }, err
	}
	stack := make([]cursor, len(plan.steps))
	depth, started := 0, false
	return func() (bool, error) {
		if len(stack) == 0 {
			first := !started
			started = true
			return first, nil
		}
		for depth >= 0 {
			if stack[depth] == nil {
				var err error
				if stack[depth], err = plan.steps[depth].open(e); err != nil {
					return false, err
				}
			}
			ok, err := stack[depth]()
			switch {
			case err != nil:
				return false, err
			case !ok:
				stack[depth] = nil
				depth--
			case depth == len(stack)-1:
				return true, nil
			default:
				depth++
			}
		}
		return false, nil
	}, nil
}

// open begins to read a part for the present rows of those before it.
func (s *step) open(e *env) (cursor, error) {
	switch {
	case s.outer != nil:
		return s.openOuter(e)
	case s.rte.table == nil:
		return s.openSource(e)
	}
	list, err := s.access.open(e)
	if err != nil {
		return nil, err
	}
	if s.reverse {
		slices.Reverse(list)
	}
	place := s.rte.place
	return func() (bool, error) {
		for len(list) > 0 {
			t := list[0]
			list = list[1:]
			e.rows[place], e.tuples[place] = t.Row, t
			if s.access.index != nil && !s.access.ordered {
				if ok, err := allTrue(e, s.access.used); err != nil {
					return false, err
				} else if !ok {
					continue
				}
			}
			if ok, err := allTrue(e, s.access.filters); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	}, nil
}

// openSource begins to read what is no table.
func (s *step) openSource(e *env) (cursor, error) {
	read, err := e.spool(s.rte)
	if err != nil {
		return nil, err
	}
	if s.reverse {
		if read, err = reversed(read); err != nil {
			return nil, err
		}
	}
	return func() (bool, error) {
		for {
			row, err := read()
			if row == nil || err != nil {
				return false, err
			}
			e.rows[s.rte.place], e.tuples[s.rte.place] = row, nil
			if ok, err := allTrue(e, s.filters); ok || err != nil {
				return ok, err
			}
		}
	}, nil
}

// openOuter begins to read the part of a left join that may have no row.
func (s *step) openOuter(e *env) (cursor, error) {
	read, err := s.outer.open(e)
	if err != nil {
		return nil, err
	}
	met, over := false, false
	return func() (bool, error) {
		for !over {
			ok, err := read()
			if err != nil {
				return false, err
			}
			if !ok {
				over = true
				if met {
					return false, nil
				}
				for _, r := range s.nullRTE {
					e.rows[r.place], e.tuples[r.place] = nil, nil
				}
			}
			met = true
			if ok, err := allTrue(e, s.filters); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	}, nil
}

// spool holds the rows of something that is no table, so that they are made once.
type spool struct {
	read rows
	list [][]types.Value
	over bool
}

// spool returns the rows of something that is no table. They are made once in an execution of the query, when they are
// needed, unless they depend on the rows of other tables.
func (e *env) spool(r *rte) (rows, error) {
	if r.rels != 0 {
		return r.source(e)
	}
	sp := e.spools[r]
	if sp == nil {
		read, err := r.source(e)
		if err != nil {
			return nil, err
		}
		if e.spools == nil {
			e.spools = map[*rte]*spool{}
		}
		sp = &spool{read: read}
		e.spools[r] = sp
	}
	return sp.reader(), nil
}

// reader returns the rows from the first on.
func (sp *spool) reader() rows {
	at := 0
	return func() ([]types.Value, error) {
		if at == len(sp.list) {
			if sp.over {
				return nil, nil
			}
			row, err := sp.read()
			if err != nil {
				return nil, err
			}
			if row == nil {
				sp.over = true
				return nil, nil
			}
			sp.list = append(sp.list, row)
		}
		at++
		return sp.list[at-1], nil
	}
}
