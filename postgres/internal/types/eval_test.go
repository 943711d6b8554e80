package types_test

import (
	"slices"
	"strconv"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// typed is a value with its type.
type typed struct {
	t types.OID
	v types.Value
}

// evaluate evaluates a constant expression. It is as much of an executor as the test of the types needs.
func evaluate(text string) (typed, error) {
	list, err := syntax.Parse("SELECT " + text)
	if err != nil {
		return typed{}, err
	}
	v, err := eval(list[0].(*syntax.Select).Items[0].Expr)
	if err == nil && v.t == types.UnknownOID {
		v.t = types.TextOID
	}
	return v, err
}

func eval(e syntax.Expr) (typed, error) {
	switch e := e.(type) {
	case *syntax.Const:
		return constant(e)
	case *syntax.Cast:
		return castTo(e)
	case *syntax.Op:
		return operate(e)
	case *syntax.Call:
		return call(e)
	case *syntax.Logic:
		return logic(e)
	case *syntax.Not:
		v, err := evalTo(e.Arg, types.BoolOID)
		if b, ok := v.(bool); ok {
			v = !b
		}
		return typed{types.BoolOID, v}, err
	case *syntax.Is:
		return is(e)
	case *syntax.IsDistinct:
		a, err := compare("=", e.Left, e.Right)
		if err != nil {
			return typed{}, err
		}
		left, _ := eval(e.Left)
		right, _ := eval(e.Right)
		equal := a.v == true || left.v == nil && right.v == nil
		return typed{types.BoolOID, equal == e.Not}, nil
	case *syntax.Between:
		return between(e)
	case *syntax.In:
		return in(e)
	case *syntax.Quantified:
		return quantified(e)
	case *syntax.Case:
		return caseOf(e)
	case *syntax.Coalesce:
		return first("COALESCE", e.Args, func(types.OID, types.Value, types.Value) bool { return false })
	case *syntax.MinMax:
		name, sign := "GREATEST", 1
		if !e.Greatest {
			name, sign = "LEAST", -1
		}
		return first(name, e.Args, func(t types.OID, best, v types.Value) bool { return v != nil && sign*types.Compare(t, v, best) > 0 })
	case *syntax.NullIf:
		equal, err := compare("=", e.Left, e.Right)
		if err != nil {
			return typed{}, err
		}
		left, err := eval(e.Left)
		if equal.v == true {
			left.v = nil
		}
		return left, err
	case *syntax.ArrayExpr:
		return array(e)
	case *syntax.RowExpr:
		return row(e)
	case *syntax.Subscript:
		return subscript(e)
	case *syntax.Collate:
		return eval(e.Arg)
	case *syntax.Param:
		return typed{}, pgerror.New(pgerror.UndefinedParameter, "there is no parameter $%d", e.N)
	case *syntax.ColumnRef:
		return typed{}, pgerror.New(pgerror.UndefinedColumn, "column \"%s\" does not exist", e.Parts[0])
	}
	return typed{}, pgerror.Lacks("%T in this test", e)
}

func constant(c *syntax.Const) (typed, error) {
	switch c.Kind {
	case syntax.Null:
		return typed{types.UnknownOID, nil}, nil
	case syntax.Bool:
		return typed{types.BoolOID, c.Text == "true"}, nil
	case syntax.String:
		return typed{types.UnknownOID, c.Text}, nil
	case syntax.Integer:
		n, _ := strconv.ParseInt(c.Text, 10, 64)
		if n == int64(int32(n)) {
			return typed{types.Int4OID, n}, nil
		}
		return typed{types.Int8OID, n}, nil
	}
	v, err := types.ParseText(types.NumericOID, -1, c.Text)
	return typed{types.NumericOID, v}, err
}

// convert casts a value.
func convert(v typed, to types.OID, mod int32, context types.Context) (types.Value, error) {
	if to == types.AnyOID {
		return v.v, nil
	}
	cast := types.FindCast(v.t, to, context)
	if cast == nil {
		return nil, pgerror.New(pgerror.CannotCoerce, "cannot cast type %s to %s", types.Name(v.t), types.Name(to))
	}
	if v.v == nil {
		return nil, nil
	}
	return cast.Apply(v.v, mod)
}

func evalTo(e syntax.Expr, t types.OID) (types.Value, error) {
	v, err := eval(e)
	if err != nil {
		return nil, err
	}
	return convert(v, t, -1, types.Implicit)
}

func castTo(c *syntax.Cast) (typed, error) {
	t, ok := types.Lookup(c.Type.Name.Name)
	if !ok {
		return typed{}, types.UnknownType(c.Type.Name.Name)
	}
	mod, err := types.Mod(t, c.Type.Mods)
	if err != nil {
		return typed{}, err
	}
	if c.Type.Dims > 0 {
		t = types.ArrayOf(t)
	}
	if a, ok := c.Arg.(*syntax.ArrayExpr); ok && len(a.Items) == 0 {
		return typed{t, types.Array{Elem: types.ElemOf(t)}}, nil
	}
	v, err := eval(c.Arg)
	if err != nil {
		return typed{}, err
	}
	r, err := convert(v, t, mod, types.Explicit)
	return typed{t, r}, err
}

// apply calls with arguments that are cast to the types of the parameters.
func apply(args []typed, to []types.OID, strict bool, f func([]types.Value) (types.Value, error)) (types.Value, error) {
	values := make([]types.Value, len(args))
	null := false
	for i, a := range args {
		var err error
		if values[i], err = convert(a, to[i], -1, types.Implicit); err != nil {
			return nil, err
		}
		null = null || values[i] == nil
	}
	if null && strict {
		return nil, nil
	}
	return f(values)
}

func operate(o *syntax.Op) (typed, error) {
	if o.Left == nil {
		v, err := eval(o.Right)
		if err != nil {
			return typed{}, err
		}
		op, err := types.FindOperator(o.Name, types.Invalid, v.t)
		if err != nil {
			return typed{}, err
		}
		r, err := apply([]typed{v}, []types.OID{op.Right}, op.Strict, op.Apply)
		return typed{op.Result, r}, err
	}
	return compare(o.Name, o.Left, o.Right)
}

// compare applies an operator of two operands.
func compare(name string, left, right syntax.Expr) (typed, error) {
	a, err := eval(left)
	if err != nil {
		return typed{}, err
	}
	b, err := eval(right)
	if err != nil {
		return typed{}, err
	}
	return binary(name, a, b)
}

func binary(name string, a, b typed) (typed, error) {
	op, err := types.FindOperator(name, a.t, b.t)
	if err != nil {
		return typed{}, err
	}
	r, err := apply([]typed{a, b}, []types.OID{op.Left, op.Right}, op.Strict, op.Apply)
	return typed{op.Result, r}, err
}

func call(c *syntax.Call) (typed, error) {
	var args []typed
	var ts []types.OID
	for _, e := range c.Args {
		v, err := eval(e)
		if err != nil {
			return typed{}, err
		}
		args, ts = append(args, v), append(ts, v.t)
	}
	var f *types.Function
	var err error
	if c.ArgNames != nil {
		var order []int
		if f, order, err = types.FindNamed(c.Name, ts, c.ArgNames); err != nil {
			return typed{}, err
		}
		given := args
		args = nil
		for parameter, from := range order {
			if from < 0 {
				args = append(args, typed{f.Args[parameter], f.Default(parameter)})
			} else {
				args = append(args, given[from])
			}
		}
	} else if f, err = types.FindFunction(c.Name, ts); err != nil {
		return typed{}, err
	}
	r, err := apply(args, f.Args, f.Strict, f.Apply)
	return typed{f.Result, r}, err
}

func logic(l *syntax.Logic) (typed, error) {
	result := types.Value(!l.Or)
	for _, e := range l.Args {
		v, err := evalTo(e, types.BoolOID)
		switch {
		case err != nil:
			return typed{}, err
		case v == l.Or:
			return typed{types.BoolOID, l.Or}, nil
		case v == nil:
			result = nil
		}
	}
	return typed{types.BoolOID, result}, nil
}

func is(e *syntax.Is) (typed, error) {
	v, err := eval(e.Arg)
	if err != nil {
		return typed{}, err
	}
	want := map[string]types.Value{"NULL": nil, "UNKNOWN": nil, "TRUE": true, "FALSE": false}[e.Test]
	return typed{types.BoolOID, (v.v == want) != e.Not}, nil
}

func between(e *syntax.Between) (typed, error) {
	and := func(low, high syntax.Expr) syntax.Expr {
		return &syntax.Logic{Args: []syntax.Expr{
			&syntax.Op{Name: ">=", Left: e.Arg, Right: low}, &syntax.Op{Name: "<=", Left: e.Arg, Right: high},
		}}
	}
	test := and(e.Low, e.High)
	if e.Symmetric {
		test = &syntax.Logic{Or: true, Args: []syntax.Expr{test, and(e.High, e.Low)}}
	}
	if e.Not {
		test = &syntax.Not{Arg: test}
	}
	return eval(test)
}

func in(e *syntax.In) (typed, error) {
	or := &syntax.Logic{Or: true}
	for _, item := range e.List {
		or.Args = append(or.Args, &syntax.Op{Name: "=", Left: e.Arg, Right: item})
	}
	if e.Not {
		return eval(&syntax.Not{Arg: or})
	}
	return eval(or)
}

func quantified(q *syntax.Quantified) (typed, error) {
	left, err := eval(q.Left)
	if err != nil {
		return typed{}, err
	}
	right, err := eval(q.Array)
	if err != nil {
		return typed{}, err
	}
	if right.t == types.UnknownOID {
		right.t = types.ArrayOf(left.t)
		if right.v, err = types.ParseText(right.t, -1, right.v.(string)); err != nil {
			return typed{}, err
		}
	}
	if right.v == nil {
		return typed{types.BoolOID, nil}, nil
	}
	result := types.Value(q.All)
	for _, item := range right.v.(types.Array).Items {
		r, err := binary(q.Op, left, typed{types.ElemOf(right.t), item})
		switch {
		case err != nil:
			return typed{}, err
		case r.v == nil:
			result = nil
		case r.v == !q.All:
			return r, nil
		}
	}
	return typed{types.BoolOID, result}, nil
}

// common evaluates expressions and casts them to their common type.
func common(construct string, list []syntax.Expr) (types.OID, []types.Value, error) {
	var all []typed
	var ts []types.OID
	for _, e := range list {
		v, err := eval(e)
		if err != nil {
			return 0, nil, err
		}
		all, ts = append(all, v), append(ts, v.t)
	}
	t, err := types.CommonType(construct, ts)
	if err != nil {
		return 0, nil, err
	}
	values := make([]types.Value, len(all))
	for i, v := range all {
		if values[i], err = convert(v, t, -1, types.Implicit); err != nil {
			return 0, nil, err
		}
	}
	return t, values, nil
}

// first returns the first value that is not NULL, or a later one that is better.
func first(construct string, list []syntax.Expr, better func(t types.OID, best, v types.Value) bool) (typed, error) {
	t, values, err := common(construct, list)
	var best types.Value
	for _, v := range values {
		if best == nil || better(t, best, v) {
			best = v
		}
	}
	return typed{t, best}, err
}

func caseOf(c *syntax.Case) (typed, error) {
	list := []syntax.Expr{&syntax.Const{Kind: syntax.Null}}
	if c.Else != nil {
		list[0] = c.Else
	}
	chosen := 0
	for i, w := range slices.Backward(c.Whens) {
		list = append(list, c.Whens[len(c.Whens)-1-i].Result)
		cond := w.Cond
		if c.Arg != nil {
			cond = &syntax.Op{Name: "=", Left: c.Arg, Right: cond}
		}
		if v, err := evalTo(cond, types.BoolOID); err != nil {
			return typed{}, err
		} else if v == true {
			chosen = i + 1
		}
	}
	t, values, err := common("CASE", list)
	if err != nil {
		return typed{}, err
	}
	return typed{t, values[chosen]}, nil
}

func array(a *syntax.ArrayExpr) (typed, error) {
	t, values, err := common("ARRAY", a.Items)
	return typed{types.ArrayOf(t), types.Array{Elem: t, Items: values}}, err
}

func row(r *syntax.RowExpr) (typed, error) {
	var result types.Row
	for _, e := range r.Items {
		v, err := eval(e)
		if err != nil {
			return typed{}, err
		}
		result.Types, result.Items = append(result.Types, v.t), append(result.Items, v.v)
	}
	return typed{types.RecordOID, result}, nil
}

func subscript(s *syntax.Subscript) (typed, error) {
	v, err := eval(s.Arg)
	if err != nil {
		return typed{}, err
	}
	bound := func(e syntax.Expr, otherwise int64) int64 {
		if e == nil {
			return otherwise
		}
		v, _ := eval(e)
		return v.v.(int64)
	}
	a := v.v.(types.Array)
	if s.Slice {
		return typed{v.t, a.Slice(bound(s.Low, 1), bound(s.High, int64(len(a.Items))))}, nil
	}
	return typed{a.Elem, a.Element(bound(s.Index, 0))}, nil
}
