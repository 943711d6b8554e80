package executor

import (
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// coerce converts an expression to a type. The result is nil if PostgreSQL has no such conversion in that context. A parameter
// without a type gets it.
func (a *analysis) coerce(v *value, to types.OID, mod int32, ctx types.Context) (*value, error) {
	if v.isUnknown() {
		return a.resolve(v, to, mod, ctx)
	}
	if v.typ == to && (mod < 0 || mod == v.mod) {
		return v, nil
	}
	convert, err := a.conversion(v.typ, to, ctx)
	if convert == nil || err != nil {
		return nil, err
	}
	x := made(to, v.pos, 0, nil, v)
	x.mod, x.name, x.count = mod, v.name, v.count
	if convert.same && mod < 0 {
		x.eval, x.column, x.constant, x.fixed, x.null = v.eval, v.column, v.constant, v.fixed, v.null
		return x, nil
	}
	x.cost++
	x.eval = func(e *env) (types.Value, error) {
		y, err := v.eval(e)
		if y == nil || err != nil {
			return nil, err
		}
		return convert.apply(e, y, mod)
	}
	if !convert.pure {
		return x, nil
	}
	return a.folded(x, v), nil
}

// folded evaluates an expression whose parts are constants at once. An error is that of the plan, unless the expression may not be
// evaluated at all.
func (a *analysis) folded(v *value, parts ...*value) *value {
	for _, p := range parts {
		if !p.constant || p.volatile {
			return v
		}
	}
	x, err := v.eval(nil)
	if err != nil {
		if a.late == nil && a.guarded == 0 {
			a.late = err
		}
		return v
	}
	v.constant, v.fixed, v.null = true, x, x == nil
	v.eval = func(*env) (types.Value, error) { return x, nil }
	return v
}

// resolve gives a literal, NULL or a parameter without a type the type.
func (a *analysis) resolve(v *value, to types.OID, mod int32, ctx types.Context) (*value, error) {
	x := *v
	x.typ, x.mod = to, -1
	switch {
	case v.param > 0:
		if to == types.AnyOID || to == types.UnknownOID {
			a.vague = true
			return v, nil
		}
		switch have := a.params[v.param-1]; have {
		case 0, types.UnknownOID:
			a.params[v.param-1] = to
		case to:
		default:
			return nil, pgerror.New(pgerror.AmbiguousParameter, "inconsistent types deduced for parameter $%d", v.param).
				WithDetail("%s versus %s", a.typeName(have), a.typeName(to)).At(v.pos)
		}
		x.param = 0
		if mod < 0 {
			return &x, nil
		}
		return a.coerce(&x, to, mod, types.Assignment)
	case v.null:
		x.mod = mod
	case v.literal != nil:
		if to == types.UnknownOID || to == types.AnyOID {
			return v, nil
		}
		first := int32(-1) // as PostgreSQL, which applies the modifier afterwards, except to intervals
		if to == types.IntervalOID {
			first = mod
		}
		parsed, err := a.input(to, first, *v.literal)
		if err != nil {
			return nil, pgerror.From(err).At(v.pos)
		}
		x = *constantOf(to, parsed, v.pos)
		if mod >= 0 {
			if x.fixed, err = types.FindCast(to, to, ctx).Apply(parsed, mod); err != nil {
				return nil, err
			}
			fixed := x.fixed
			x.eval = func(*env) (types.Value, error) { return fixed, nil }
		}
		x.mod, x.name = mod, v.name
	default: // a column of a query whose type is unknown is text
		x.typ = types.TextOID
		return a.coerce(&x, to, mod, types.Explicit)
	}
	return &x, nil
}

// known gives an expression without a type the type text.
func (a *analysis) known(v *value) (*value, error) {
	if !v.isUnknown() {
		return v, nil
	}
	return a.resolve(v, types.TextOID, -1, types.Implicit)
}

// input reads a value of a type from a text.
func (a *analysis) input(t types.OID, mod int32, s string) (types.Value, error) {
	if types.IsEnum(t) {
		return a.enumValue(t, s)
	}
	if elem := types.ElemOf(t); elem != types.Invalid && (types.IsEnum(elem) || isReg(elem)) {
		return types.ParseArray(elem, s, func(item string) (types.Value, error) { return a.input(elem, mod, item) })
	}
	if isReg(t) {
		return a.parseReg(t, s)
	}
	return types.ParseText(t, mod, s)
}

// conversion is a cast that is known.
type conversion struct {
	same  bool
	pure  bool // it depends on nothing else
	apply func(e *env, x types.Value, mod int32) (types.Value, error)
}

// conversion finds the cast between two types; nil if there is none.
func (a *analysis) conversion(from, to types.OID, ctx types.Context) (*conversion, error) {
	switch {
	case to == types.AnyOID, to == types.UnknownOID:
		return &conversion{same: true}, nil
	case isReg(to) && isText(from) && (ctx == types.Explicit || to == types.RegclassOID):
		return &conversion{apply: func(_ *env, x types.Value, _ int32) (types.Value, error) {
			return a.parseReg(to, types.Text(from, x))
		}}, nil
	case isReg(to) && isInteger(from):
		return &conversion{apply: func(_ *env, x types.Value, _ int32) (types.Value, error) {
			return a.regOf(to, x.(int64)), nil
		}}, nil
	case isReg(from) && isInteger(to):
		return &conversion{apply: func(_ *env, x types.Value, _ int32) (types.Value, error) {
			return x.(types.Reg).OID, nil
		}}, nil
	case types.IsEnum(to) && isText(from) && ctx == types.Explicit:
		return &conversion{apply: func(_ *env, x types.Value, _ int32) (types.Value, error) {
			return a.enumValue(to, types.Text(from, x))
		}}, nil
	case types.IsEnum(from) && isText(to) && (ctx == types.Explicit || ctx == types.Assignment):
		return &conversion{apply: func(_ *env, x types.Value, mod int32) (types.Value, error) {
			return types.ParseText(to, mod, x.(types.Enum).Label)
		}}, nil
	}
	if fe, te := types.ElemOf(from), types.ElemOf(to); fe != types.Invalid && te != types.Invalid && fe != te {
		return a.arrayConversion(fe, te, ctx)
	}
	c := types.FindCast(from, to, ctx)
	if c == nil {
		return nil, nil
	}
	return &conversion{same: c.Same, pure: from != types.TimestamptzOID && to != types.TimestamptzOID, apply: func(_ *env, x types.Value, mod int32) (types.Value, error) { return c.Apply(x, mod) }}, nil
}

// arrayConversion casts each element.
func (a *analysis) arrayConversion(from, to types.OID, ctx types.Context) (*conversion, error) {
	c, err := a.conversion(from, to, ctx)
	if c == nil || err != nil {
		return nil, err
	}
	return &conversion{apply: func(e *env, x types.Value, mod int32) (types.Value, error) {
		in := x.(types.Array)
		out := types.Array{Elem: to, Items: make([]types.Value, len(in.Items))}
		for i, item := range in.Items {
			switch {
			case item == nil:
			case c.same && mod < 0:
				out.Items[i] = item
			default:
				var err error
				if out.Items[i], err = c.apply(e, item, mod); err != nil {
					return nil, err
				}
			}
		}
		return out, nil
	}}, nil
}

func isReg(t types.OID) bool {
	return t == types.RegclassOID || t == types.RegtypeOID || t == types.RegprocOID || t == types.RegnamespaceOID
}

func isText(t types.OID) bool {
	return t == types.TextOID || t == types.VarcharOID || t == types.BPCharOID || t == types.NameOID
}

func isInteger(t types.OID) bool {
	return t == types.Int2OID || t == types.Int4OID || t == types.Int8OID || t == types.OIDOID
}

// condition analyses a condition, of a clause that the error names.
func (a *analysis) condition(v *value, clause string) (*value, error) {
	c, err := a.coerce(v, types.BoolOID, -1, types.Assignment)
	if err == nil && c == nil {
		err = pgerror.New(pgerror.DatatypeMismatch, "argument of %s must be type boolean, not type %s", clause, a.typeName(v.typ)).At(v.pos)
	}
	return c, err
}

// assignable converts an expression to the type of a column.
func (a *analysis) assignable(v *value, column string, t types.OID, mod int32) (*value, error) {
	x, err := a.coerce(v, t, mod, types.Assignment)
	if err == nil && x == nil {
		err = pgerror.New(pgerror.DatatypeMismatch, "column %q is of type %s but expression is of type %s", column, a.typeName(t), a.typeName(v.typ)).
			WithHint("You will need to rewrite or cast the expression.").At(v.pos)
	}
	return x, err
}

// common converts expressions to one type, as UNION, CASE or COALESCE do.
func (a *analysis) common(construct string, list []*value) ([]*value, error) {
	ts := make([]types.OID, len(list))
	for i, v := range list {
		ts[i] = v.typ
	}
	t, err := a.commonType(construct, ts)
	if err != nil {
		return nil, pgerror.From(err).At(list[0].pos)
	}
	out := make([]*value, len(list))
	for i, v := range list {
		x, err := a.coerce(v, t, -1, types.Implicit)
		if err != nil {
			return nil, err
		}
		if x == nil {
			return nil, pgerror.New(pgerror.CannotCoerce, "%s could not convert type %s to %s", construct, a.typeName(v.typ), a.typeName(t)).At(v.pos)
		}
		out[i] = x
	}
	return out, nil
}

// commonType is types.CommonType, also for enumerations.
func (a *analysis) commonType(construct string, ts []types.OID) (types.OID, error) {
	for _, t := range ts {
		if t < types.FirstEnum {
			continue
		}
		for _, u := range ts {
			if u != t && u != types.UnknownOID {
				return 0, pgerror.New(pgerror.DatatypeMismatch, "%s types %s and %s cannot be matched", construct, a.typeName(ts[0]), a.typeName(u))
			}
		}
		return t, nil
	}
	return types.CommonType(construct, ts)
}
