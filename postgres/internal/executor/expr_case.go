package executor

import (
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// cases analyses CASE.
func (s *scope) cases(x *syntax.Case) (*value, error) {
	s.a.guarded++
	defer func() { s.a.guarded-- }()
	var conds, results []*value
	for _, w := range x.Whens {
		cond := w.Cond
		if x.Arg != nil {
			cond = &syntax.Op{Pos: syntax.Pos(w.Cond.Position()), Name: "=", Left: x.Arg, Right: cond}
		}
		c, err := s.expr(cond)
		if err != nil {
			return nil, err
		}
		if c, err = s.a.condition(c, "CASE/WHEN"); err != nil {
			return nil, err
		}
		r, err := s.expr(w.Result)
		if err != nil {
			return nil, err
		}
		conds, results = append(conds, c), append(results, r)
	}
	otherwise := constantOf(types.UnknownOID, nil, x.Position())
	if x.Else != nil {
		var err error
		if otherwise, err = s.expr(x.Else); err != nil {
			return nil, err
		}
	}
	// PostgreSQL considers the type of ELSE first.
	all, err := s.a.common("CASE", append([]*value{otherwise}, results...))
	if err != nil {
		return nil, err
	}
	v := made(all[0].typ, x.Position(), 0, nil, append(append([]*value(nil), conds...), all...)...)
	v.eval = func(e *env) (types.Value, error) {
		for i, c := range conds {
			if ok, err := isTrue(e, c); err != nil {
				return nil, err
			} else if ok {
				return all[i+1].eval(e)
			}
		}
		return all[0].eval(e)
	}
	return v, nil
}

// coalesce analyses COALESCE.
func (s *scope) coalesce(x *syntax.Coalesce) (*value, error) {
	s.a.guarded++
	defer func() { s.a.guarded-- }()
	args, err := s.exprs(x.Args)
	if err != nil {
		return nil, err
	}
	if args, err = s.a.common("COALESCE", args); err != nil {
		return nil, err
	}
	return made(args[0].typ, x.Position(), 0, func(e *env) (types.Value, error) {
		for _, arg := range args {
			if y, err := arg.eval(e); y != nil || err != nil {
				return y, err
			}
		}
		return nil, nil
	}, args...), nil
}

// minMax analyses GREATEST and LEAST.
func (s *scope) minMax(x *syntax.MinMax) (*value, error) {
	word := "LEAST"
	if x.Greatest {
		word = "GREATEST"
	}
	args, err := s.exprs(x.Args)
	if err != nil {
		return nil, err
	}
	if args, err = s.a.common(word, args); err != nil {
		return nil, err
	}
	if err := types.Comparable(args[0].typ); err != nil {
		return nil, pgerror.From(err).At(x.Position())
	}
	t := args[0].typ
	return made(t, x.Position(), 1, func(e *env) (types.Value, error) {
		var best types.Value
		for _, arg := range args {
			y, err := arg.eval(e)
			if err != nil {
				return nil, err
			}
			if y != nil && (best == nil || (types.Compare(t, y, best) > 0) == x.Greatest && types.Compare(t, y, best) != 0) {
				best = y
			}
		}
		return best, nil
	}, args...), nil
}

// nullIf analyses NULLIF.
func (s *scope) nullIf(x *syntax.NullIf) (*value, error) {
	l, err := s.expr(x.Left)
	if err != nil {
		return nil, err
	}
	r, err := s.expr(x.Right)
	if err != nil {
		return nil, err
	}
	eq, err := s.a.apply("=", l, r, x.Position())
	if err != nil {
		return nil, err
	}
	if l, err = s.a.coerce(l, eq.op.Left, -1, types.Implicit); err != nil {
		return nil, err
	}
	v := made(l.typ, x.Position(), 1, func(e *env) (types.Value, error) {
		list, err := evalAll(e, eq.args)
		if err != nil || list[0] == nil || list[1] == nil {
			return list[0], err
		}
		if same, err := eq.op.Apply(list); same == true || err != nil {
			return nil, err
		}
		return list[0], nil
	}, eq.args...)
	return v, nil
}

// array analyses ARRAY[...].
func (s *scope) array(x *syntax.ArrayExpr) (*value, error) {
	if len(x.Items) == 0 {
		return nil, pgerror.New(pgerror.IndeterminateDatatype, "cannot determine type of empty array").
			WithHint("Explicitly cast to the desired type, for example ARRAY[]::integer[].").At(x.Position())
	}
	items, err := s.exprs(x.Items)
	if err != nil {
		return nil, err
	}
	if items, err = s.a.common("ARRAY", items); err != nil {
		return nil, err
	}
	return s.makeArray(items[0].typ, items, x.Position())
}

// arrayOfType analyses ARRAY[...]::type[].
func (s *scope) arrayOfType(x *syntax.ArrayExpr, t types.OID) (*value, error) {
	items, err := s.exprs(x.Items)
	if err != nil {
		return nil, err
	}
	elem := types.ElemOf(t)
	for i, v := range items {
		if items[i], err = s.a.coerce(v, elem, -1, types.Explicit); err != nil {
			return nil, err
		}
		if items[i] == nil {
			return nil, pgerror.New(pgerror.CannotCoerce, "cannot cast type %s to %s", s.a.typeName(v.typ), s.a.typeName(elem)).At(v.pos)
		}
	}
	return s.makeArray(elem, items, x.Position())
}

// makeArray makes an array of its elements.
func (s *scope) makeArray(elem types.OID, items []*value, pos int) (*value, error) {
	t := types.ArrayOf(elem)
	if t == types.Invalid || types.ElemOf(elem) != types.Invalid {
		return nil, pgerror.Lacks("arrays of %s", s.a.typeName(elem)).At(pos)
	}
	v := made(t, pos, 0, func(e *env) (types.Value, error) {
		list, err := evalAll(e, items)
		return types.Array{Elem: elem, Items: list}, err
	}, items...)
	v.count = len(items)
	return v, nil
}

// subscript analyses a[i] and a[i:j].
func (s *scope) subscript(x *syntax.Subscript) (*value, error) {
	arr, err := s.expr(x.Arg)
	if err != nil {
		return nil, err
	}
	elem := types.ElemOf(arr.typ)
	if elem == types.Invalid {
		if arr.typ == types.JSONBOID {
			return nil, pgerror.Lacks("subscripts of jsonb").At(x.Position())
		}
		return nil, pgerror.New(pgerror.DatatypeMismatch, "cannot subscript type %s because it does not support subscripting", s.a.typeName(arr.typ)).At(arr.pos)
	}
	var bounds [3]*value
	for i, b := range []syntax.Expr{x.Index, x.Low, x.High} {
		if b == nil {
			continue
		}
		v, err := s.expr(b)
		if err != nil {
			return nil, err
		}
		if bounds[i], err = s.a.coerce(v, types.Int4OID, -1, types.Assignment); err != nil {
			return nil, err
		}
		if bounds[i] == nil {
			return nil, pgerror.New(pgerror.DatatypeMismatch, "array subscript must have type integer").At(v.pos)
		}
	}
	if x.Slice {
		return s.slice(arr, bounds[1], bounds[2], x.Position()), nil
	}
	index := bounds[0]
	return made(elem, x.Position(), 0, func(e *env) (types.Value, error) {
		list, err := evalAll(e, []*value{arr, index})
		if err != nil || list[0] == nil || list[1] == nil {
			return nil, err
		}
		items, i := list[0].(types.Array).Items, list[1].(int64)
		if i < 1 || i > int64(len(items)) {
			return nil, nil
		}
		return items[i-1], nil
	}, arr, index), nil
}

// slice returns the elements from low to high.
func (s *scope) slice(arr, low, high *value, pos int) *value {
	return made(arr.typ, pos, 0, func(e *env) (types.Value, error) {
		x, err := arr.eval(e)
		if x == nil || err != nil {
			return nil, err
		}
		a := x.(types.Array)
		from, to := int64(1), int64(len(a.Items))
		for i, b := range []*value{low, high} {
			if b == nil {
				continue
			}
			y, err := b.eval(e)
			if y == nil || err != nil {
				return nil, err
			}
			if i == 0 {
				from = max(from, y.(int64))
			} else {
				to = min(to, y.(int64))
			}
		}
		if from > to {
			return types.Array{Elem: a.Elem}, nil
		}
		return types.Array{Elem: a.Elem, Items: a.Items[from-1 : to]}, nil
	}, arr, low, high)
}
