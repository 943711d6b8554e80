package executor

import (
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// row analyses a row as a value.
func (s *scope) row(x *syntax.RowExpr) (*value, error) {
	items, err := s.exprs(x.Items)
	if err != nil {
		return nil, err
	}
	var ts []types.OID
	for i := range items {
		if items[i], err = s.a.known(items[i]); err != nil {
			return nil, err
		}
		ts = append(ts, items[i].typ)
	}
	return made(types.RecordOID, x.Position(), 0, func(e *env) (types.Value, error) {
		list, err := evalAll(e, items)
		return types.Row{Types: ts, Items: list}, err
	}, items...), nil
}

// compareRows analyses the comparison of two rows, column by column.
func (s *scope) compareRows(name string, l, r *syntax.RowExpr, pos int) (*value, error) {
	if len(l.Items) != len(r.Items) {
		return nil, pgerror.New(pgerror.SyntaxError, "unequal number of entries in row expressions").At(pos)
	}
	left, err := s.exprs(l.Items)
	if err != nil {
		return nil, err
	}
	right, err := s.exprs(r.Items)
	if err != nil {
		return nil, err
	}
	return s.a.compareLists(name, left, right, pos)
}

// compareLists compares two rows.
func (a *analysis) compareLists(name string, left, right []*value, pos int) (*value, error) {
	var equal, order []*value
	for i := range left {
		eq, err := a.apply("=", left[i], right[i], pos)
		if err != nil {
			return nil, err
		}
		equal = append(equal, eq)
		if name == "=" || name == "<>" {
			continue
		}
		strict := name
		if i < len(left)-1 {
			strict = name[:1]
		}
		o, err := a.apply(strict, left[i], right[i], pos)
		if err != nil {
			return nil, err
		}
		order = append(order, o)
	}
	switch name {
	case "=":
		return conjunction(equal, pos), nil
	case "<>":
		all := conjunction(equal, pos)
		return made(types.BoolOID, pos, 0, negated(all.eval), all), nil
	case "<", "<=", ">", ">=":
		return lexical(equal, order, pos), nil
	}
	return nil, pgerror.Lacks("the operator %s between rows", name).At(pos)
}

// lexical is an ordering comparison of rows: the first unequal pair decides.
func lexical(equal, order []*value, pos int) *value {
	return made(types.BoolOID, pos, 0, func(e *env) (types.Value, error) {
		for i := range equal {
			if i < len(equal)-1 {
				same, err := equal[i].eval(e)
				if same == nil || err != nil {
					return nil, err
				}
				if same == true {
					continue
				}
			}
			return order[i].eval(e)
		}
		return nil, nil
	}, append(append([]*value(nil), equal...), order...)...)
}

// conjunction is AND.
func conjunction(parts []*value, pos int) *value {
	if len(parts) == 1 {
		return parts[0]
	}
	v := made(types.BoolOID, pos, 0, func(e *env) (types.Value, error) {
		var result types.Value = true
		for _, p := range parts {
			y, err := p.eval(e)
			if y == false || err != nil {
				return y, err
			}
			if y == nil {
				result = nil
			}
		}
		return result, nil
	}, parts...)
	v.args = parts
	return v
}

// rowIn analyses (a, b) IN ((1, 2), (3, 4)).
func (s *scope) rowIn(row *syntax.RowExpr, x *syntax.In) (*value, error) {
	var parts []*value
	for _, item := range x.List {
		r, ok := item.(*syntax.RowExpr)
		if !ok {
			return nil, pgerror.Lacks("IN with a row and a value that is no row").At(x.Position())
		}
		eq, err := s.compareRows("=", row, r, x.Position())
		if err != nil {
			return nil, err
		}
		parts = append(parts, eq)
	}
	v := anyOf(parts, x.Position())
	if x.Not {
		v = made(types.BoolOID, x.Position(), 0, negated(v.eval), v)
	}
	return v, nil
}
