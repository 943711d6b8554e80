package executor

import (
	"slices"
	"strconv"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// query is an analysed SELECT, VALUES or set operation.
type query struct {
	scope    *scope
	columns  []Column
	targets  []*value // of the columns, then those that only the order needs
	volatile bool
	estimate float64 // how many rows are expected

	parts    []*joined
	where    []*value
	plan     *fromPlan
	group    []*value
	grouped  bool
	having   *value
	distinct bool
	on       []*value // of DISTINCT ON
	order    []sortKey
	limit    *value
	bound    int // how many sorted rows are wanted; 0 for all
	offset   *value
	ties     bool
	marks    []rowMark
	values   [][]*value // the rows of VALUES
	op       syntax.SetOp
	all1     bool // UNION ALL
	left     *query
	right    *query
}

// rowMark is a table whose rows are locked.
type rowMark struct {
	rte    *rte
	mode   storage.RowMode
	policy storage.WaitPolicy
}

// sortKey is an element of ORDER BY: an expression, or a column of the result by its place.
type sortKey struct {
	value            *value
	target           int // -1 for an expression
	desc, nullsFirst bool
}

// queryOptions say how a query is analysed.
type queryOptions struct {
	// unknown is what happens to a column without a type: by default it is a text.
	unknown func(i int, v *value) (*value, error)
}

// refs returns the tables around the query that it depends on, those of the nearest level first.
func (q *query) refs() []relSet { return q.scope.refs }

// query analyses a query within a scope.
func (s *scope) query(sel *syntax.Select, o queryOptions) (*query, error) {
	q := &query{scope: s.inner()}
	if o.unknown == nil {
		o.unknown = func(_ int, v *value) (*value, error) { return s.a.known(v) }
	}
	err := q.scope.with(sel.With)
	if err != nil {
		return nil, err
	}
	switch {
	case sel.Op != syntax.SetNone:
		err = q.setOperation(sel, o)
	case sel.Values != nil:
		err = q.valueLists(sel, o)
	default:
		err = q.plain(sel, o)
	}
	if err != nil {
		return nil, err
	}
	if err := q.limits(sel); err != nil {
		return nil, err
	}
	if err := q.locking(sel); err != nil {
		return nil, err
	}
	q.finish()
	return q, nil
}

// plain analyses a query with a SELECT list.
func (q *query) plain(sel *syntax.Select, o queryOptions) error {
	s := q.scope
	var err error
	if q.parts, err = s.from(sel.From); err != nil {
		return err
	}
	s.aggs, s.srf = &aggregation{}, &expansion{}
	items, err := q.items(sel.Items, o)
	if err != nil {
		return err
	}
	aggs, srf := s.aggs, s.srf
	s.aggs, s.srf = nil, nil
	if q.where, err = s.where(sel.Where, "WHERE"); err != nil {
		return err
	}
	s.aggs, s.srf = aggs, srf
	if q.order, err = q.orderBy(sel, items); err != nil {
		return err
	}
	s.srf = nil
	if sel.Having != nil {
		conds, err := s.where(sel.Having, "HAVING")
		if err != nil {
			return err
		}
		q.having = conjunction(conds, sel.Having.Position())
	}
	s.aggs = nil
	if q.group, err = q.groupBy(sel, items); err != nil {
		return err
	}
	s.aggs, s.srf = aggs, srf
	q.grouped = len(q.group) > 0 || len(aggs.list) > 0 || q.having != nil
	if q.grouped {
		if err := q.checkGrouped(); err != nil {
			return err
		}
	}
	return q.distinctOn(sel, items)
}

// items analyses a SELECT list. The result has the expression of each column, nil for those of a star.
func (q *query) items(list []syntax.Item, o queryOptions) ([]syntax.Expr, error) {
	values, names, exprs, err := q.scope.targetList(list)
	if err != nil {
		return nil, err
	}
	for i, v := range values {
		if v.isUnknown() {
			name := v.name
			if v, err = o.unknown(i, v); err != nil {
				return nil, err
			}
			v.name = name
		}
		q.targets = append(q.targets, v)
		q.columns = append(q.columns, resultColumn(v, names[i]))
	}
	return exprs, nil
}

// targetList analyses a SELECT list or RETURNING.
func (s *scope) targetList(list []syntax.Item) (values []*value, names []string, exprs []syntax.Expr, err error) {
	for _, it := range list {
		if ref, ok := it.Expr.(*syntax.ColumnRef); ok && ref.Star {
			all, err := s.star(ref)
			if err != nil {
				return nil, nil, nil, err
			}
			for _, v := range all {
				values, names, exprs = append(values, v), append(names, v.name), append(exprs, nil)
			}
			continue
		}
		v, err := s.expr(it.Expr)
		if err != nil {
			return nil, nil, nil, err
		}
		name := it.Alias
		if name == "" {
			name = columnName(it.Expr)
		}
		values, names, exprs = append(values, v), append(names, name), append(exprs, it.Expr)
	}
	return values, names, exprs, nil
}

// resultColumn describes a column of a result.
func resultColumn(v *value, name string) Column {
	c := Column{Name: name, Type: v.typ, Mod: v.mod}
	if ref := v.column; ref != nil && ref.n >= 0 && v.typ == ref.rte.columns[ref.n].Type {
		c.TableOID, c.Number = ref.rte.columns[ref.n].TableOID, ref.rte.columns[ref.n].Number
	}
	return c
}

// orderBy analyses ORDER BY.
func (q *query) orderBy(sel *syntax.Select, items []syntax.Expr) (keys []sortKey, err error) {
	for _, o := range sel.OrderBy {
		k := sortKey{target: -1, desc: o.Desc, nullsFirst: o.NullsFirst}
		if k.target, err = q.outputColumn(o.Expr, "ORDER BY", true); err != nil {
			return nil, err
		}
		if k.target < 0 {
			k.target = slices.IndexFunc(items, func(x syntax.Expr) bool { return x != nil && sameExpr(x, o.Expr) })
		}
		if k.target < 0 {
			if k.value, err = q.scope.expr(o.Expr); err != nil {
				return nil, err
			}
			if k.value, err = q.scope.a.known(k.value); err != nil {
				return nil, err
			}
		} else {
			k.value = q.targets[k.target]
		}
		if err := types.Comparable(k.value.typ); err != nil {
			return nil, pgerror.From(err).At(o.Pos)
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// outputColumn returns the column of the result that an element of ORDER BY or GROUP BY names, or numbers; -1 if none.
func (q *query) outputColumn(x syntax.Expr, clause string, byName bool) (int, error) {
	switch x := x.(type) {
	case *syntax.Const:
		if x.Kind != syntax.Integer {
			if x.Kind == syntax.String || x.Kind == syntax.Number {
				return -1, pgerror.New(pgerror.SyntaxError, "non-integer constant in %s", clause).At(x.Position())
			}
			return -1, nil
		}
		n, _ := strconv.Atoi(x.Text)
		if n < 1 || n > len(q.columns) {
			return -1, pgerror.New(pgerror.InvalidColumnReference, "%s position %s is not in select list", clause, x.Text).At(x.Position())
		}
		return n - 1, nil
	case *syntax.ColumnRef:
		if len(x.Parts) != 1 || x.Star || !byName {
			return -1, nil
		}
		found := -1
		for i, c := range q.columns {
			if c.Name != x.Parts[0] {
				continue
			}
			if found >= 0 && q.targets != nil && !sameColumn(q.targets[found], q.targets[i]) {
				return -1, pgerror.New(pgerror.AmbiguousColumn, "%s %q is ambiguous", clause, c.Name).At(x.Position())
			}
			if found < 0 {
				found = i
			}
		}
		return found, nil
	}
	return -1, nil
}

// sameColumn reports whether both are the same column of a table.
func sameColumn(a, b *value) bool {
	return a.column != nil && b.column != nil && a.column.rte == b.column.rte && a.column.n == b.column.n
}

// groupBy analyses GROUP BY.
func (q *query) groupBy(sel *syntax.Select, items []syntax.Expr) (keys []*value, err error) {
	was := q.scope.clause
	q.scope.clause = "GROUP BY"
	defer func() { q.scope.clause = was }()
	for _, x := range sel.Group {
		i, err := q.outputColumn(x, "GROUP BY", false)
		if err != nil {
			return nil, err
		}
		var v *value
		if i < 0 {
			if v, err = q.scope.expr(x); err != nil {
				if i, _ = q.outputColumn(x, "GROUP BY", true); i < 0 {
					return nil, err
				}
			}
		}
		if i >= 0 {
			if v = q.targets[i]; v.grouped {
				return nil, pgerror.New(pgerror.GroupingError, "aggregate functions are not allowed in GROUP BY").At(x.Position())
			}
		}
		if v, err = q.scope.a.known(v); err != nil {
			return nil, err
		}
		if err := types.Comparable(v.typ); err != nil {
			return nil, pgerror.From(err).At(v.pos)
		}
		keys = append(keys, v)
	}
	return keys, nil
}

// checkGrouped refuses columns that are neither grouped by nor in an aggregate.
func (q *query) checkGrouped() error {
	allowed := map[columnRef]bool{}
	for _, k := range q.group {
		for _, ref := range k.bare {
			allowed[columnRef{rte: ref.rte, n: ref.n}] = true
		}
	}
	check := func(v *value) error {
		for _, ref := range v.bare {
			if allowed[columnRef{rte: ref.rte, n: ref.n}] || determined(ref.rte, allowed) {
				continue
			}
			return pgerror.New(pgerror.GroupingError, "column \"%s.%s\" must appear in the GROUP BY clause or be used in an aggregate function",
				ref.rte.alias, ref.rte.columns[max(ref.n, 0)].Name).At(ref.pos)
		}
		return nil
	}
	for _, v := range q.targets {
		if err := check(v); err != nil {
			return err
		}
	}
	if q.having != nil {
		if err := check(q.having); err != nil {
			return err
		}
	}
	for _, k := range q.order {
		if err := check(k.value); err != nil {
			return err
		}
	}
	return nil
}

// determined reports whether the columns by which is grouped have the primary key of a table.
func determined(r *rte, allowed map[columnRef]bool) bool {
	if r.table == nil {
		return false
	}
	for _, ix := range r.table.Indexes {
		if ix.Primary {
			return !slices.ContainsFunc(ix.Columns, func(place int) bool {
				return !allowed[columnRef{rte: r, n: slices.Index(r.places, place)}]
			})
		}
	}
	return false
}

// distinctOn analyses DISTINCT.
func (q *query) distinctOn(sel *syntax.Select, items []syntax.Expr) error {
	for _, x := range sel.DistinctOn {
		i, err := q.outputColumn(x, "DISTINCT ON", true)
		if err != nil {
			return err
		}
		v := (*value)(nil)
		if i < 0 {
			i = slices.IndexFunc(items, func(y syntax.Expr) bool { return y != nil && sameExpr(x, y) })
		}
		if i >= 0 {
			v = q.targets[i]
		} else if v, err = q.scope.expr(x); err != nil {
			return err
		}
		q.on = append(q.on, v)
	}
	if len(q.on) > 0 && len(q.order) == 0 {
		for _, v := range q.on {
			q.order = append(q.order, sortKey{value: v, target: -1})
		}
	}
	q.distinct = sel.Distinct && len(q.on) == 0
	if !q.distinct {
		return nil
	}
	for i, v := range q.targets {
		if err := types.Comparable(v.typ); err != nil {
			return pgerror.From(err).At(q.targets[i].pos)
		}
	}
	for i, k := range q.order {
		if k.target < 0 {
			return pgerror.New(pgerror.InvalidColumnReference, "for SELECT DISTINCT, ORDER BY expressions must appear in select list").
				At(sel.OrderBy[i].Expr.Position())
		}
	}
	return nil
}

// limits analyses LIMIT and OFFSET.
func (q *query) limits(sel *syntax.Select) (err error) {
	s := q.scope
	for _, l := range []struct {
		expr syntax.Expr
		to   **value
		word string
	}{{sel.Limit, &q.limit, "LIMIT"}, {sel.Offset, &q.offset, "OFFSET"}} {
		if l.expr == nil {
			continue
		}
		v, err := s.expr(l.expr)
		if err != nil {
			return err
		}
		if v.rels != 0 && len(v.bare) > 0 {
			return pgerror.New(pgerror.InvalidColumnReference, "argument of %s must not contain variables", l.word).At(v.bare[0].pos)
		}
		if *l.to, err = s.a.coerce(v, types.Int8OID, -1, types.Assignment); err != nil {
			return err
		}
		if *l.to == nil {
			return pgerror.New(pgerror.DatatypeMismatch, "argument of %s must be type bigint, not type %s", l.word, s.a.typeName(v.typ)).At(v.pos)
		}
	}
	q.ties = sel.WithTies
	if q.ties {
		return pgerror.Lacks("FETCH FIRST ... WITH TIES")
	}
	return nil
}

// finish plans the query.
func (q *query) finish() {
	for _, v := range q.targets {
		q.volatile = q.volatile || v.volatile
	}
	q.volatile = q.volatile || len(q.marks) > 0
	for _, r := range q.scope.rtes {
		q.volatile = q.volatile || r.volatile
	}
	q.estimate = q.expectedRows()
	w := wanted{limit: -1}
	if q.limit != nil {
		if n, ok := q.knownLimit(); ok && !q.grouped && !q.distinct && len(q.scope.windows) == 0 {
			w.limit = float64(n)
			q.estimate = min(q.estimate, max(float64(n), 1))
		} else {
			q.estimate = max(1, q.estimate/10)
		}
	}
	if !q.grouped && !q.distinct && len(q.scope.windows) == 0 {
		w.sorted = q.sortColumns()
	}
	q.plan = planFrom(q.parts, q.where, 0, w)
}

// knownLimit returns LIMIT if it is known before the execution: a constant, or a parameter that has its value.
func (q *query) knownLimit() (n int64, ok bool) {
	v := q.limit
	if n, ok = v.fixed.(int64); ok {
		return n, ok
	}
	q.scope.a.bound = true
	if q.scope.a.values == nil || v.rels != 0 || v.outer > 0 || v.volatile || v.subplan {
		return n, ok
	}
	x, err := v.eval(&env{run: &run{params: q.scope.a.values}})
	if err != nil {
		return 0, false
	}
	n, ok = x.(int64)
	return n, ok
}

// expectedRows estimates the number of rows before LIMIT.
func (q *query) expectedRows() float64 {
	switch {
	case q.op != syntax.SetNone:
		return q.left.estimate + q.right.estimate
	case q.values != nil:
		return float64(len(q.values))
	case q.grouped && len(q.group) == 0:
		return 1
	}
	n := 1.0
	for _, p := range q.parts {
		n *= max(1, p.expected(q.where, 0))
	}
	if q.grouped || q.distinct {
		n = min(n, distinct)
	}
	if q.scope.srf != nil && len(q.scope.srf.calls) > 0 {
		n *= 10
	}
	return n
}

// sortColumns returns the order that is wanted of the only table, or nil.
func (q *query) sortColumns() (list []sortColumn) {
	for _, k := range q.order {
		c := sortColumn{column: -1, desc: k.desc, nullsFirst: k.nullsFirst}
		if ref := k.value.column; ref != nil && ref.level == 0 && ref.n >= 0 && ref.rte.table != nil {
			c.column = ref.rte.places[ref.n]
		}
		list = append(list, c)
	}
	return list
}
