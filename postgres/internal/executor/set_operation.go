package executor

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// setOperation analyses UNION, INTERSECT and EXCEPT.
func (q *query) setOperation(sel *syntax.Select, o queryOptions) (err error) {
	q.op, q.all1 = sel.Op, sel.All
	keep := queryOptions{unknown: func(_ int, v *value) (*value, error) { return v, nil }}
	if q.left, err = q.scope.query(sel.Left, keep); err != nil {
		return err
	}
	if q.right, err = q.scope.query(sel.Right, keep); err != nil {
		return err
	}
	if len(q.left.columns) != len(q.right.columns) {
		return pgerror.New(pgerror.SyntaxError, "each %s query must have the same number of columns", q.op).At(firstPosition(sel.Right))
	}
	for i, l := range q.left.columns {
		t, err := q.scope.a.commonType(string(q.op), []types.OID{l.Type, q.right.columns[i].Type})
		if err != nil {
			return pgerror.From(err).At(q.right.position(i))
		}
		c := Column{Name: l.Name, Type: t, Mod: -1}
		if l.Type == t && q.right.columns[i].Type == t && l.Mod == q.right.columns[i].Mod {
			c.Mod = l.Mod
		}
		if t == types.UnknownOID { // it may get its type as a part of another set operation, or of INSERT
			v, err := o.unknown(i, constantOf(t, nil, sel.Pos))
			if err != nil {
				return err
			}
			c.Type = v.typ
		}
		q.columns = append(q.columns, c)
		if c.Type != types.UnknownOID {
			if err := q.retype(i, c.Type); err != nil {
				return err
			}
		}
	}
	if q.order, err = q.orderOfColumns(sel); err != nil {
		return err
	}
	if !q.all1 {
		for _, c := range q.columns {
			if err := types.Comparable(c.Type); err != nil {
				return err
			}
		}
	}
	return nil
}

// position returns the position of a column's expression, 0 if it is not known.
func (q *query) position(i int) int {
	if q.op == syntax.SetNone && i < len(q.targets) {
		return q.targets[i].pos
	}
	return 0
}

// retype converts a column of both sides.
func (q *query) retype(i int, t types.OID) error {
	for _, side := range []*query{q.left, q.right} {
		if err := side.convert(i, t); err != nil {
			return err
		}
	}
	return nil
}

// convert converts a column of the result to a type.
func (q *query) convert(i int, t types.OID) error {
	if q.columns[i].Type == t {
		return nil
	}
	a := q.scope.a
	to := func(v *value) (*value, error) {
		x, err := a.coerce(v, t, -1, types.Implicit)
		if err == nil && x == nil {
			err = pgerror.New(pgerror.CannotCoerce, "UNION could not convert type %s to %s", a.typeName(v.typ), a.typeName(t)).At(v.pos)
		}
		return x, err
	}
	switch {
	case q.op != syntax.SetNone:
		if err := q.retype(i, t); err != nil {
			return err
		}
	case q.values != nil:
		for _, row := range q.values {
			x, err := to(row[i])
			if err != nil {
				return err
			}
			row[i] = x
		}
	default:
		x, err := to(q.targets[i])
		if err != nil {
			return err
		}
		q.targets[i] = x
		for j := range q.order {
			if q.order[j].target == i {
				q.order[j].value = x
			}
		}
	}
	q.columns[i].Type, q.columns[i].Mod = t, -1
	return nil
}

// orderOfColumns analyses an ORDER BY that knows only the columns of the result.
func (q *query) orderOfColumns(sel *syntax.Select) (keys []sortKey, err error) {
	for _, x := range sel.OrderBy {
		i, err := q.outputColumn(x.Expr, "ORDER BY", true)
		if err != nil {
			return nil, err
		}
		if i < 0 {
			if ref, ok := x.Expr.(*syntax.ColumnRef); ok && len(ref.Parts) == 1 {
				return nil, pgerror.New(pgerror.UndefinedColumn, "column %q does not exist", ref.Parts[0]).At(ref.Position())
			}
			return nil, pgerror.New(pgerror.FeatureNotSupported, "invalid UNION/INTERSECT/EXCEPT ORDER BY clause").
				WithDetail("Only result column names can be used, not expressions or functions.").At(x.Expr.Position())
		}
		v := &value{typ: q.columns[i].Type, mod: -1}
		keys = append(keys, sortKey{value: v, target: i, desc: x.Desc, nullsFirst: x.NullsFirst})
	}
	return keys, nil
}

// combined returns the rows of a set operation.
func (q *query) combined(e *env) (rows, error) {
	left, err := q.left.open(e)
	if err != nil {
		return nil, err
	}
	if q.op == syntax.SetUnion {
		both := q.both(e, left)
		if q.all1 {
			return both, nil
		}
		return q.union(both), nil
	}
	return q.intersected(e, left)
}

// both returns the rows of the left side, and then those of the right one.
func (q *query) both(e *env, left rows) rows {
	next, second := left, false
	return func() ([]types.Value, error) {
		for {
			row, err := next()
			if row != nil || err != nil || second {
				return row, err
			}
			second = true
			if next, err = q.right.open(e); err != nil {
				return nil, err
			}
		}
	}
}

// union leaves out rows that are there twice. PostgreSQL sorts the rows for that if it expects few.
func (q *query) union(both rows) rows {
	ts := q.visibleTypes()
	unique := distinctRows(both, ts)
	if q.estimate > 100 {
		return unique
	}
	var keys []sortKey
	for i, t := range ts {
		keys = append(keys, sortKey{value: &value{typ: t}, target: i})
	}
	byAll := &query{order: keys}
	return byAll.sortedResults(unique)
}

// intersected returns the rows of INTERSECT and EXCEPT.
func (q *query) intersected(e *env, left rows) (rows, error) {
	if q.all1 {
		return nil, pgerror.Lacks("%s ALL", q.op)
	}
	ts := q.visibleTypes()
	seen := map[string][][]types.Value{}
	right, err := q.right.open(e)
	if err != nil {
		return nil, err
	}
	for {
		row, err := right()
		if err != nil {
			return nil, err
		}
		if row == nil {
			break
		}
		remember(seen, ts, row)
	}
	unique := distinctRows(left, ts)
	return func() ([]types.Value, error) {
		for {
			row, err := unique()
			if row == nil || err != nil {
				return nil, err
			}
			in := false
			for _, have := range seen[hashKey(ts, row)] {
				in = in || sameValues(ts, have, row)
			}
			if in == (q.op == syntax.SetIntersect) {
				return row, nil
			}
		}
	}, nil
}

// valueLists analyses VALUES.
func (q *query) valueLists(sel *syntax.Select, o queryOptions) error {
	width := len(sel.Values[0])
	for _, list := range sel.Values {
		if len(list) != width {
			return pgerror.New(pgerror.SyntaxError, "VALUES lists must all be the same length").At(list[0].Position())
		}
		row, err := q.scope.exprs(list)
		if err != nil {
			return err
		}
		q.values = append(q.values, row)
	}
	for i := range width {
		var column []*value
		for _, row := range q.values {
			column = append(column, row[i])
		}
		column, err := q.scope.a.common("VALUES", column)
		if err != nil {
			return err
		}
		for j, row := range q.values {
			if row[i] = column[j]; row[i].isUnknown() {
				if row[i], err = o.unknown(i, row[i]); err != nil {
					return err
				}
			}
			q.volatile = q.volatile || row[i].volatile
		}
		c := Column{Name: fmt.Sprintf("column%d", i+1), Type: q.values[0][i].typ, Mod: q.values[0][i].mod}
		for _, row := range q.values {
			if row[i].mod != c.Mod {
				c.Mod = -1
			}
		}
		q.columns = append(q.columns, c)
	}
	var err error
	q.order, err = q.orderOfColumns(sel)
	return err
}

// valueRows returns the rows of VALUES.
func (q *query) valueRows(e *env) rows {
	at := 0
	return func() ([]types.Value, error) {
		if at == len(q.values) {
			return nil, nil
		}
		at++
		return evalAll(e, q.values[at-1])
	}
}

// firstPosition returns the position of the first expression of a query's result.
func firstPosition(sel *syntax.Select) int {
	for sel.Op != syntax.SetNone {
		sel = sel.Left
	}
	switch {
	case len(sel.Items) > 0:
		return sel.Items[0].Expr.Position()
	case len(sel.Values) > 0:
		return sel.Values[0][0].Position()
	}
	return sel.Pos
}
