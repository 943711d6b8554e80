package executor

import (
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// expr analyses an expression.
func (s *scope) expr(x syntax.Expr) (*value, error) {
	switch x := x.(type) {
	case *syntax.Const:
		return constant(x)
	case *syntax.Param:
		return s.a.param(x), nil
	case *syntax.ColumnRef:
		return s.column(x)
	case *syntax.Cast:
		return s.cast(x)
	case *syntax.Op:
		return s.operator(x)
	case *syntax.Logic:
		return s.logic(x)
	case *syntax.Not:
		return s.not(x)
	case *syntax.Is:
		return s.is(x)
	case *syntax.IsDistinct:
		return s.distinct(x)
	case *syntax.Between:
		return s.expr(unfoldBetween(x))
	case *syntax.In:
		return s.in(x)
	case *syntax.Quantified:
		return s.quantified(x)
	case *syntax.Call:
		return s.call(x)
	case *syntax.Subquery, *syntax.Exists, *syntax.ArrayQuery:
		return s.subquery(x)
	}
	return s.construct(x)
}

// construct analyses the expressions with words of their own.
func (s *scope) construct(x syntax.Expr) (*value, error) {
	switch x := x.(type) {
	case *syntax.Case:
		return s.cases(x)
	case *syntax.Coalesce:
		return s.coalesce(x)
	case *syntax.MinMax:
		return s.minMax(x)
	case *syntax.NullIf:
		return s.nullIf(x)
	case *syntax.ValueFunction:
		return s.valueFunction(x)
	case *syntax.ArrayExpr:
		return s.array(x)
	case *syntax.Subscript:
		return s.subscript(x)
	case *syntax.RowExpr:
		return s.row(x)
	case *syntax.Collate:
		return s.collate(x)
	case *syntax.Default:
		return nil, pgerror.New(pgerror.SyntaxError, "DEFAULT is not allowed in this context").At(x.Position())
	case *syntax.Field:
		return nil, pgerror.Lacks("fields of composite values")
	}
	return nil, pgerror.Lacks("expressions of kind %T", x)
}

// exprs analyses several expressions.
func (s *scope) exprs(list []syntax.Expr) ([]*value, error) {
	var out []*value
	for _, x := range list {
		v, err := s.expr(x)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func constant(c *syntax.Const) (*value, error) {
	pos := c.Position()
	switch c.Kind {
	case syntax.Integer:
		n, err := strconv.ParseInt(c.Text, 10, 64)
		if err != nil {
			return nil, pgerror.Lacks("the integer %s", c.Text)
		}
		if n == int64(int32(n)) {
			return constantOf(types.Int4OID, n, pos), nil
		}
		return constantOf(types.Int8OID, n, pos), nil
	case syntax.Number:
		n, err := types.ParseText(types.NumericOID, -1, c.Text)
		return constantOf(types.NumericOID, n, pos), err
	case syntax.Bool:
		return constantOf(types.BoolOID, c.Text == "true", pos), nil
	case syntax.String:
		v := constantOf(types.UnknownOID, c.Text, pos)
		v.literal = &c.Text
		return v, nil
	}
	return constantOf(types.UnknownOID, nil, pos), nil
}

// cast analyses CAST and ::.
func (s *scope) cast(c *syntax.Cast) (*value, error) {
	t, mod, err := s.a.typeOf(c.Type)
	if err != nil {
		return nil, err
	}
	if arr, ok := c.Arg.(*syntax.ArrayExpr); ok && types.ElemOf(t) != types.Invalid {
		return s.arrayOfType(arr, t)
	}
	v, err := s.expr(c.Arg)
	if err != nil {
		return nil, err
	}
	x, err := s.a.coerce(v, t, mod, types.Explicit)
	if err != nil {
		return nil, err
	}
	if x == nil {
		return nil, pgerror.New(pgerror.CannotCoerce, "cannot cast type %s to %s", s.a.typeName(v.typ), s.a.typeName(t)).At(c.Position())
	}
	return x, nil
}

// operator analyses an operator.
func (s *scope) operator(o *syntax.Op) (*value, error) {
	if o.Left != nil {
		l, lok := o.Left.(*syntax.RowExpr)
		r, rok := o.Right.(*syntax.RowExpr)
		if lok && rok {
			return s.compareRows(o.Name, l, r, o.Position())
		}
		if sub, ok := o.Right.(*syntax.Subquery); ok && lok {
			return s.compareWithQuery(o.Name, l, sub, o.Position())
		}
	}
	var l *value
	if o.Left != nil {
		var err error
		if l, err = s.expr(o.Left); err != nil {
			return nil, err
		}
	}
	r, err := s.expr(o.Right)
	if err != nil {
		return nil, err
	}
	return s.a.apply(o.Name, l, r, o.Position())
}

// apply applies an operator; l is nil for one before its operand.
func (a *analysis) apply(name string, l, r *value, pos int) (*value, error) {
	left := types.Invalid
	if l != nil {
		left = l.typ
	}
	op, err := a.findOperator(name, left, r.typ)
	if err != nil {
		return nil, pgerror.From(err).At(pos)
	}
	var args []*value
	if l != nil {
		if l, err = a.operand(l, op.Left); err != nil {
			return nil, err
		}
		args = append(args, l)
	}
	if r, err = a.operand(r, op.Right); err != nil {
		return nil, err
	}
	args = append(args, r)
	v := made(op.Result, pos, 1, nil, args...)
	v.op, v.args = op, args
	v.eval = applied(op.Strict, op.Apply, args)
	return a.folded(v, args...), nil
}

// operand converts an operand to what the operator wants.
func (a *analysis) operand(v *value, t types.OID) (*value, error) {
	x, err := a.coerce(v, t, -1, types.Implicit)
	if err == nil && x == nil {
		err = pgerror.New(pgerror.CannotCoerce, "cannot cast type %s to %s", a.typeName(v.typ), a.typeName(t)).At(v.pos)
	}
	return x, err
}

// applied evaluates the arguments of a pure function and calls it.
func applied(strict bool, apply func([]types.Value) (types.Value, error), args []*value) func(*env) (types.Value, error) {
	return func(e *env) (types.Value, error) {
		list := make([]types.Value, len(args))
		null := false
		for i, v := range args {
			x, err := v.eval(e)
			if err != nil {
				return nil, err
			}
			list[i] = x
			null = null || x == nil
		}
		if null && strict {
			return nil, nil
		}
		return apply(list)
	}
}

// findOperator is types.FindOperator.
func (a *analysis) findOperator(name string, l, r types.OID) (*types.Operator, error) {
	return types.FindOperator(name, l, r)
}

// logic analyses AND and OR.
func (s *scope) logic(x *syntax.Logic) (*value, error) {
	s.a.guarded++
	defer func() { s.a.guarded-- }()
	word := "AND"
	if x.Or {
		word = "OR"
	}
	var args []*value
	for _, arg := range x.Args {
		v, err := s.expr(arg)
		if err != nil {
			return nil, err
		}
		if v, err = s.a.condition(v, word); err != nil {
			return nil, err
		}
		args = append(args, v)
	}
	v := made(types.BoolOID, x.Position(), 0, nil, args...)
	v.args, v.or = args, x.Or
	stop := x.Or
	v.eval = func(e *env) (types.Value, error) {
		var result types.Value = !stop
		for _, arg := range args {
			y, err := arg.eval(e)
			if err != nil {
				return nil, err
			}
			if y == stop {
				return stop, nil
			}
			if y == nil {
				result = nil
			}
		}
		return result, nil
	}
	return v, nil
}

func (s *scope) not(x *syntax.Not) (*value, error) {
	arg, err := s.expr(x.Arg)
	if err != nil {
		return nil, err
	}
	if arg, err = s.a.condition(arg, "NOT"); err != nil {
		return nil, err
	}
	v := made(types.BoolOID, x.Position(), 0, negated(arg.eval), arg)
	v.not, v.args = true, []*value{arg}
	return v, nil
}

// negated is NOT.
func negated(eval func(*env) (types.Value, error)) func(*env) (types.Value, error) {
	return func(e *env) (types.Value, error) {
		y, err := eval(e)
		if b, ok := y.(bool); ok {
			return !b, err
		}
		return nil, err
	}
}

// is analyses IS NULL, IS TRUE and their kin.
func (s *scope) is(x *syntax.Is) (*value, error) {
	if row, ok := x.Arg.(*syntax.RowExpr); ok {
		return nil, pgerror.Lacks("IS %s of a row", x.Test).At(row.Position())
	}
	arg, err := s.expr(x.Arg)
	if err != nil {
		return nil, err
	}
	if x.Test == "NULL" {
		if arg.param > 0 { // the type of a parameter stays open
			s.a.vague = true
		} else {
			if arg, err = s.a.known(arg); err != nil {
				return nil, err
			}
		}
	} else if arg, err = s.a.condition(arg, "IS "+strings.TrimPrefix(map[bool]string{true: "NOT "}[x.Not]+x.Test, " ")); err != nil {
		return nil, err
	}
	var want types.Value
	switch x.Test {
	case "TRUE":
		want = true
	case "FALSE":
		want = false
	}
	v := made(types.BoolOID, x.Position(), 0, func(e *env) (types.Value, error) {
		y, err := arg.eval(e)
		return (y == nil && want == nil || y != nil && want != nil && y == want) != x.Not, err
	}, arg)
	if x.Test == "NULL" {
		v.args, v.test = []*value{arg}, "NULL"
		if x.Not {
			v.test = "NOT NULL"
		}
	}
	return v, nil
}

// distinct analyses IS DISTINCT FROM.
func (s *scope) distinct(x *syntax.IsDistinct) (*value, error) {
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
	return s.a.differs(eq, x.Not, x.Position()), nil
}

// differs makes of an equality IS DISTINCT FROM, or with not IS NOT DISTINCT FROM.
func (a *analysis) differs(eq *value, not bool, pos int) *value {
	op, args := eq.op, eq.args
	return made(types.BoolOID, pos, 1, func(e *env) (types.Value, error) {
		list, err := evalAll(e, args)
		if err != nil {
			return nil, err
		}
		if list[0] == nil || list[1] == nil {
			return (list[0] == nil) != (list[1] == nil) != not, nil
		}
		same, err := op.Apply(list)
		return (same != true) != not, err
	}, args...)
}

// unfoldBetween makes comparisons of BETWEEN, as PostgreSQL does.
func unfoldBetween(b *syntax.Between) syntax.Expr {
	compare := func(name string, to syntax.Expr) syntax.Expr {
		return &syntax.Op{Pos: b.Pos, Name: name, Left: b.Arg, Right: to}
	}
	within := func(low, high syntax.Expr) syntax.Expr {
		if b.Not {
			return &syntax.Logic{Pos: b.Pos, Or: true, Args: []syntax.Expr{compare("<", low), compare(">", high)}}
		}
		return &syntax.Logic{Pos: b.Pos, Args: []syntax.Expr{compare(">=", low), compare("<=", high)}}
	}
	if !b.Symmetric {
		return within(b.Low, b.High)
	}
	return &syntax.Logic{Pos: b.Pos, Or: !b.Not, Args: []syntax.Expr{within(b.Low, b.High), within(b.High, b.Low)}}
}

// in analyses IN.
func (s *scope) in(x *syntax.In) (*value, error) {
	if x.Query != nil {
		return s.compareAny(x.Arg, "=", false, x.Not, x.Query, x.Position())
	}
	if row, ok := x.Arg.(*syntax.RowExpr); ok {
		return s.rowIn(row, x)
	}
	arg, err := s.expr(x.Arg)
	if err != nil {
		return nil, err
	}
	var parts []*value
	for _, item := range x.List {
		r, err := s.expr(item)
		if err != nil {
			return nil, err
		}
		eq, err := s.a.apply("=", arg, r, x.Position())
		if err != nil {
			return nil, err
		}
		if arg.param > 0 {
			if arg, err = s.expr(x.Arg); err != nil {
				return nil, err
			}
		}
		parts = append(parts, eq)
	}
	v := anyOf(parts, x.Position())
	if x.Not {
		v = made(types.BoolOID, x.Position(), 0, negated(v.eval), v)
	} else {
		v.elements, v.args, v.op, v.count = &value{constant: true}, parts[0].args[:1], parts[0].op, len(parts)
		v.elements.args = parts
	}
	return v, nil
}

// anyOf is OR.
func anyOf(parts []*value, pos int) *value {
	return made(types.BoolOID, pos, 0, func(e *env) (types.Value, error) {
		var result types.Value = false
		for _, p := range parts {
			y, err := p.eval(e)
			if y == true || err != nil {
				return y, err
			}
			if y == nil {
				result = nil
			}
		}
		return result, nil
	}, parts...)
}

// collate analyses COLLATE. Texts are ordered by their bytes.
func (s *scope) collate(x *syntax.Collate) (*value, error) {
	switch x.Collation.Name {
	case "C", "default", "POSIX":
		return s.expr(x.Arg)
	}
	return nil, pgerror.Lacks("the collation %s", x.Collation)
}
