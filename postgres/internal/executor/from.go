package executor

import (
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
)

// joined is a part of FROM: a table, or a join of two parts.
type joined struct {
	rte         *rte
	kind        syntax.JoinKind
	left, right *joined
	on          []*value
	rels        relSet
}

// from analyses the list of tables.
func (s *scope) from(list []syntax.TableExpr) ([]*joined, error) {
	var out []*joined
	for _, x := range list {
		j, items, err := s.tableExpr(x)
		if err != nil {
			return nil, err
		}
		if err := s.introduce(items...); err != nil {
			return nil, err
		}
		out = append(out, j)
	}
	return out, nil
}

// tableExpr analyses an element of FROM, and returns the names that it adds.
func (s *scope) tableExpr(x syntax.TableExpr) (*joined, []*nsItem, error) {
	var r *rte
	var err error
	switch x := x.(type) {
	case *syntax.Table:
		r, err = s.table(x)
	case *syntax.SubqueryTable:
		r, err = s.derived(x)
	case *syntax.FunctionTable:
		r, err = s.functionTable(x)
	case *syntax.Join:
		return s.join(x)
	default:
		err = pgerror.Lacks("%T in FROM", x)
	}
	if err != nil {
		return nil, nil, err
	}
	return &joined{rte: r, rels: r.set()}, []*nsItem{r.item()}, nil
}

// table analyses a table, or the name of a query of WITH.
func (s *scope) table(x *syntax.Table) (*rte, error) {
	if x.Schema == "" {
		if c, level := s.findCTE(x.Name.Name); c != nil {
			return s.cteTable(c, level, x)
		}
	}
	if r, err := s.viewTable(x); r != nil || err != nil {
		return r, err
	}
	t, err := s.a.open(x.Name, storage.AccessShare)
	if err != nil {
		return nil, err
	}
	r := tableEntry(t)
	if err := r.rename(x.Alias); err != nil {
		return nil, err
	}
	return s.add(r)
}

// tableEntry returns the entry of a table.
func tableEntry(t *storage.Table) *rte {
	r := &rte{alias: t.Name, schema: t.Schema, table: t, system: true, rows: tableRows(t)}
	r.columns, r.places = make([]Column, 0, len(t.Columns)), make([]int, 0, len(t.Columns))
	for i, c := range t.Columns {
		if c.Dropped {
			continue
		}
		r.columns = append(r.columns, Column{Name: c.Name, Type: c.Type, Mod: c.Mod, TableOID: t.OID, Number: int16(i + 1)})
		r.places = append(r.places, i)
	}
	return r
}

// rename gives an entry its alias and its columns theirs.
func (r *rte) rename(a syntax.Alias) error {
	if a.Name == "" {
		return nil
	}
	r.alias, r.schema = a.Name, ""
	if len(a.Columns) > len(r.columns) {
		return pgerror.New(pgerror.InvalidColumnReference, "table %q has %d columns available but %d columns specified",
			a.Name, len(r.columns), len(a.Columns)).At(a.Pos)
	}
	r.columns = slices.Clone(r.columns)
	for i, name := range a.Columns {
		r.columns[i].Name = name
	}
	return nil
}

// derived analyses a query in FROM.
func (s *scope) derived(x *syntax.SubqueryTable) (*rte, error) {
	q, err := s.innerQuery(x.Query, x.Lateral)
	if err != nil {
		return nil, err
	}
	r := &rte{query: q, columns: slices.Clone(q.columns), rows: q.estimate, volatile: q.volatile, lateral: x.Lateral}
	for _, set := range q.refs()[:min(1, len(q.refs()))] {
		r.rels = set
	}
	if x.Alias.Name == "" {
		return nil, pgerror.New(pgerror.SyntaxError, "subquery in FROM must have an alias").
			WithHint("For example, FROM (SELECT ...) [AS] foo.").At(x.Pos)
	}
	if err := r.rename(x.Alias); err != nil {
		return nil, err
	}
	r.source = q.open
	return s.add(r)
}

// innerQuery analyses a query in FROM, which sees the tables beside it only if it is lateral.
func (s *scope) innerQuery(sel *syntax.Select, lateral bool) (*query, error) {
	if !lateral {
		seen := s.items
		s.items = nil
		defer func() { s.items = seen }()
	}
	return s.query(sel, queryOptions{})
}

// join analyses a join.
func (s *scope) join(x *syntax.Join) (*joined, []*nsItem, error) {
	if x.Kind == syntax.FullJoin {
		return nil, nil, pgerror.Lacks("FULL JOIN")
	}
	left, leftItems, err := s.tableExpr(x.Left)
	if err != nil {
		return nil, nil, err
	}
	seen := s.items
	s.items = slices.Concat(s.items, leftItems) // for LATERAL
	right, rightItems, err := s.tableExpr(x.Right)
	s.items = seen
	if err != nil {
		return nil, nil, err
	}
	j := &joined{kind: x.Kind, left: left, right: right, rels: left.rels | right.rels}
	items := slices.Concat(leftItems, rightItems)
	using := x.Using
	if x.Natural {
		using = commonNames(leftItems, rightItems)
	}
	if len(using) > 0 {
		if items, err = s.using(j, using, leftItems, rightItems, x); err != nil {
			return nil, nil, err
		}
	}
	if x.On != nil {
		on, err := s.onClause(x.On, items)
		if err != nil {
			return nil, nil, err
		}
		j.on = append(j.on, on...)
	}
	if x.Kind == syntax.RightJoin {
		j.kind, j.left, j.right = syntax.LeftJoin, j.right, j.left
	}
	return j, items, nil
}

// onClause analyses ON, which sees the tables of the join.
func (s *scope) onClause(x syntax.Expr, items []*nsItem) ([]*value, error) {
	seen := s.items
	s.items = nil
	defer func() { s.items = seen }()
	if err := s.introduce(items...); err != nil {
		return nil, err
	}
	return s.where(x, "JOIN/ON")
}

// where analyses a condition, and returns its parts that AND connects.
func (s *scope) where(x syntax.Expr, clause string) ([]*value, error) {
	if x == nil {
		return nil, nil
	}
	was := s.clause
	s.clause = clause
	defer func() { s.clause = was }()
	v, err := s.expr(x)
	if err != nil {
		return nil, err
	}
	if v, err = s.a.condition(v, clause); err != nil {
		return nil, err
	}
	return flatten(v), nil
}

// flatten returns the parts of a condition that AND connects.
func flatten(v *value) []*value {
	if v.args == nil || v.or || v.not || v.op != nil || v.test != "" {
		return []*value{v}
	}
	var list []*value
	for _, arg := range v.args {
		list = append(list, flatten(arg)...)
	}
	return list
}

// commonNames returns the names that both sides have, for NATURAL.
func commonNames(left, right []*nsItem) (names []string) {
	for _, l := range left {
		for _, c := range l.columns {
			if l.bare && columnNamed(right, c.name) != nil {
				names = append(names, c.name)
			}
		}
	}
	return names
}

// columnNamed returns a column of several tables.
func columnNamed(items []*nsItem, name string) *nsColumn {
	for _, it := range items {
		for i, c := range it.columns {
			if it.bare && c.name == name {
				return &it.columns[i]
			}
		}
	}
	return nil
}

// using joins by columns of the same names, and returns the names that the join adds: each of those columns once.
func (s *scope) using(j *joined, names []string, left, right []*nsItem, x *syntax.Join) ([]*nsItem, error) {
	merged := &nsItem{bare: true}
	for _, name := range names {
		l, r := columnNamed(left, name), columnNamed(right, name)
		if l == nil || r == nil {
			side := "left"
			if l != nil {
				side = "right"
			}
			return nil, pgerror.New(pgerror.UndefinedColumn, "column %q specified in USING clause does not exist in %s table", name, side)
		}
		eq, err := s.a.apply("=", l.make(0, x.Pos), r.make(0, x.Pos), x.Pos)
		if err != nil {
			return nil, err
		}
		j.on = append(j.on, eq)
		of := l
		if x.Kind == syntax.RightJoin {
			of = r
		}
		merged.columns = append(merged.columns, nsColumn{name, of.rte, of.n})
	}
	for _, it := range slices.Concat(left, right) {
		if !it.bare {
			continue
		}
		it.bare = false
		for _, c := range it.columns {
			if !slices.Contains(names, c.name) {
				merged.columns = append(merged.columns, c)
			}
		}
	}
	return append(slices.Concat(left, right), merged), nil
}

// tables calls f for each table of a part.
func (j *joined) tables(f func(*rte)) {
	if j.rte != nil {
		f(j.rte)
		return
	}
	j.left.tables(f)
	j.right.tables(f)
}

// recheck reports whether the present rows of a part meet the conditions of its inner joins.
func (j *joined) recheck(e *env) (bool, error) {
	if j.rte != nil {
		return true, nil
	}
	if ok, err := j.left.recheck(e); !ok || err != nil {
		return false, err
	}
	if j.kind == syntax.InnerJoin {
		if ok, err := j.right.recheck(e); !ok || err != nil {
			return false, err
		}
		return allTrue(e, j.on)
	}
	there := false
	j.right.tables(func(r *rte) { there = there || e.rows[r.place] != nil })
	if !there {
		return true, nil
	}
	ok, err := allTrue(e, j.on)
	if err == nil && !ok {
		j.right.tables(func(r *rte) { e.rows[r.place], e.tuples[r.place] = nil, nil })
	}
	return true, err
}
