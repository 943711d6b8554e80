package executor

import (
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// subplan is a query in an expression. One that depends on nothing around it is an InitPlan: it is evaluated once in a
// statement, when it is first needed.
type subplan struct {
	query *query
	once  bool
}

// once is the result of a query that is evaluated once.
type once struct{ rows [][]types.Value }

// subplan analyses a query in an expression, and returns it with a value that depends on what it depends on.
func (s *scope) subplan(sel *syntax.Select, pos int) (*subplan, *value, error) {
	q, err := s.query(sel, queryOptions{})
	if err != nil {
		return nil, nil, err
	}
	v := made(types.BoolOID, pos, 0, nil)
	p := &subplan{query: q, once: true}
	for level, set := range q.refs() {
		if set == 0 {
			continue
		}
		p.once = false
		if level == 0 {
			v.rels = set
		}
		v.outer = max(v.outer, level)
	}
	v.subplan = true
	if !p.once {
		v.cost += 1000
		v.volatile = q.volatile
	}
	return p, v, nil
}

// all returns all rows.
func (p *subplan) all(e *env) ([][]types.Value, error) {
	if p.once {
		if got := e.once[p]; got != nil {
			return got.rows, nil
		}
	}
	list, err := p.query.all(e)
	if err != nil {
		return nil, err
	}
	if p.once {
		e.run.once[p] = &once{list}
	}
	return list, nil
}

// some returns at most n rows, and reads no more.
func (p *subplan) some(e *env, n int) ([][]types.Value, error) {
	if p.once {
		if got := e.once[p]; got != nil {
			return got.rows, nil
		}
	}
	next, err := p.query.open(e)
	if err != nil {
		return nil, err
	}
	var list [][]types.Value
	for len(list) < n {
		row, err := next()
		if err != nil {
			return nil, err
		}
		if row == nil {
			break
		}
		list = append(list, row)
	}
	if p.once {
		e.run.once[p] = &once{list}
	}
	return list, nil
}

// subquery analyses a query in parentheses, EXISTS and ARRAY(query).
func (s *scope) subquery(x syntax.Expr) (*value, error) {
	switch x := x.(type) {
	case *syntax.Exists:
		p, v, err := s.subplan(x.Query, x.Position())
		if err != nil {
			return nil, err
		}
		v.eval = func(e *env) (types.Value, error) {
			list, err := p.some(e, 1)
			return len(list) > 0, err
		}
		return v, nil
	case *syntax.ArrayQuery:
		return s.arrayQuery(x)
	}
	sub := x.(*syntax.Subquery)
	p, v, err := s.subplan(sub.Query, sub.Position())
	if err != nil {
		return nil, err
	}
	if len(p.query.columns) != 1 {
		return nil, pgerror.New(pgerror.SyntaxError, "subquery must return only one column").At(sub.Position())
	}
	v.typ, v.mod = p.query.columns[0].Type, p.query.columns[0].Mod
	v.eval = func(e *env) (types.Value, error) {
		row, err := p.single(e)
		if row == nil || err != nil {
			return nil, err
		}
		return row[0], nil
	}
	return v, nil
}

// single returns the only row, or nil if there is none.
func (p *subplan) single(e *env) ([]types.Value, error) {
	list, err := p.some(e, 2)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if len(list) > 1 {
		return nil, pgerror.New(pgerror.CardinalityViolation, "more than one row returned by a subquery used as an expression")
	}
	return list[0], nil
}

func (s *scope) arrayQuery(x *syntax.ArrayQuery) (*value, error) {
	p, v, err := s.subplan(x.Query, x.Position())
	if err != nil {
		return nil, err
	}
	if len(p.query.columns) != 1 {
		return nil, pgerror.New(pgerror.SyntaxError, "subquery must return only one column").At(x.Position())
	}
	elem := p.query.columns[0].Type
	if v.typ = types.ArrayOf(elem); v.typ == types.Invalid {
		return nil, pgerror.Lacks("arrays of %s", s.a.typeName(elem)).At(x.Position())
	}
	v.eval = func(e *env) (types.Value, error) {
		list, err := p.all(e)
		arr := types.Array{Elem: elem}
		for _, row := range list {
			arr.Items = append(arr.Items, row[0])
		}
		return arr, err
	}
	return v, nil
}

// quantified analyses op ANY and op ALL.
func (s *scope) quantified(x *syntax.Quantified) (*value, error) {
	if x.Query != nil {
		return s.compareAny(x.Left, x.Op, x.All, false, x.Query, x.Position())
	}
	left, err := s.expr(x.Left)
	if err != nil {
		return nil, err
	}
	arr, err := s.expr(x.Array)
	if err != nil {
		return nil, err
	}
	elem := types.UnknownOID
	if !arr.isUnknown() {
		if elem = types.ElemOf(arr.typ); elem == types.Invalid {
			return nil, pgerror.New(pgerror.WrongObjectType, "op ANY/ALL (array) requires array on right side").At(x.Position())
		}
	}
	op, err := s.a.findOperator(x.Op, left.typ, elem)
	if err != nil {
		return nil, pgerror.From(err).At(x.Position())
	}
	if op.Result != types.BoolOID {
		return nil, pgerror.New(pgerror.WrongObjectType, "op ANY/ALL (array) requires operator to yield boolean").At(x.Position())
	}
	if left, err = s.a.operand(left, op.Left); err != nil {
		return nil, err
	}
	if arr, err = s.a.operand(arr, types.ArrayOf(op.Right)); err != nil {
		return nil, err
	}
	v := made(types.BoolOID, x.Position(), 5, func(e *env) (types.Value, error) {
		list, err := evalAll(e, []*value{left, arr})
		if err != nil || list[1] == nil {
			return nil, err
		}
		return quantify(op, list[0], list[1].(types.Array).Items, x.All)
	}, left, arr)
	if !x.All {
		v.op, v.args, v.elements, v.count = op, []*value{left}, arr, arr.count
		if v.count == 0 {
			v.count = 10
		}
	}
	return v, nil
}

// quantify applies an operator to a value and each of others.
func quantify(op *types.Operator, left types.Value, items []types.Value, all bool) (types.Value, error) {
	var result types.Value = all
	for _, item := range items {
		if op.Strict && (left == nil || item == nil) {
			result = nil
			continue
		}
		y, err := op.Apply([]types.Value{left, item})
		if err != nil {
			return nil, err
		}
		if y == !all {
			return y, nil
		}
		if y == nil {
			result = nil
		}
	}
	return result, nil
}

// compareAny analyses IN, op ANY and op ALL with a query.
func (s *scope) compareAny(arg syntax.Expr, op string, all, not bool, sel *syntax.Select, pos int) (*value, error) {
	items := []syntax.Expr{arg}
	if row, ok := arg.(*syntax.RowExpr); ok {
		items = row.Items
	}
	left, err := s.exprs(items)
	if err != nil {
		return nil, err
	}
	p, v, err := s.subplan(sel, pos)
	if err != nil {
		return nil, err
	}
	switch n := len(p.query.columns); {
	case n > len(left):
		return nil, pgerror.New(pgerror.SyntaxError, "subquery has too many columns").At(pos)
	case n < len(left):
		return nil, pgerror.New(pgerror.SyntaxError, "subquery has too few columns").At(pos)
	}
	test, probe, err := s.a.testRow(op, left, p.query.columns, pos)
	if err != nil {
		return nil, err
	}
	x := made(types.BoolOID, pos, 0, func(e *env) (types.Value, error) {
		list, err := p.all(e)
		if err != nil {
			return nil, err
		}
		return quantifyRows(e, test, probe, list, all)
	}, append(left, v)...)
	x.subplan = true
	if not {
		return made(types.BoolOID, pos, 0, negated(x.eval), x), nil
	}
	if op == "=" && !all && p.once && len(left) == 1 && test.op != nil {
		x.op, x.args, x.elements = test.op, test.args[:1], &value{typ: types.RecordOID, eval: columnOf(p)}
		x.elements.args = nil
		x.count = int(p.query.estimate)
	}
	return x, nil
}

// columnOf returns the first column of the rows as an array.
func columnOf(p *subplan) func(e *env) (types.Value, error) {
	return func(e *env) (types.Value, error) {
		list, err := p.all(e)
		arr := types.Array{}
		for _, row := range list {
			arr.Items = append(arr.Items, row[0])
		}
		return arr, err
	}
}

// probe is a row that a comparison looks at.
type probe struct{ row []types.Value }

// testRow makes the comparison of expressions with the columns of a row, which is set in the probe.
func (a *analysis) testRow(op string, left []*value, columns []Column, pos int) (*value, *probe, error) {
	p := &probe{}
	var right []*value
	for i, c := range columns {
		right = append(right, &value{typ: c.Type, mod: c.Mod, pos: pos, eval: func(*env) (types.Value, error) { return p.row[i], nil }})
	}
	var v *value
	var err error
	if len(left) == 1 {
		v, err = a.apply(op, left[0], right[0], pos)
	} else {
		v, err = a.compareLists(op, left, right, pos)
	}
	return v, p, err
}

// quantifyRows compares with each row.
func quantifyRows(e *env, test *value, p *probe, list [][]types.Value, all bool) (types.Value, error) {
	var result types.Value = all
	for _, row := range list {
		p.row = row
		y, err := test.eval(e)
		if err != nil {
			return nil, err
		}
		if y == !all {
			return y, nil
		}
		if y == nil {
			result = nil
		}
	}
	return result, nil
}

// compareWithQuery analyses (a, b) = (SELECT x, y ...).
func (s *scope) compareWithQuery(op string, row *syntax.RowExpr, sub *syntax.Subquery, pos int) (*value, error) {
	left, err := s.exprs(row.Items)
	if err != nil {
		return nil, err
	}
	p, v, err := s.subplan(sub.Query, pos)
	if err != nil {
		return nil, err
	}
	switch n := len(p.query.columns); {
	case n > len(left):
		return nil, pgerror.New(pgerror.SyntaxError, "subquery has too many columns").At(pos)
	case n < len(left):
		return nil, pgerror.New(pgerror.SyntaxError, "subquery has too few columns").At(pos)
	}
	test, probe, err := s.a.testRow(op, left, p.query.columns, pos)
	if err != nil {
		return nil, err
	}
	return made(types.BoolOID, pos, 0, func(e *env) (types.Value, error) {
		got, err := p.single(e)
		if got == nil || err != nil {
			return nil, err
		}
		probe.row = got
		return test.eval(e)
	}, append(left, v)...), nil
}
