package executor

import (
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
)

// columnName returns the name of a result's column that has no alias, as FigureColname does.
func columnName(x syntax.Expr) string {
	if name, _ := figureName(x); name != "" {
		return name
	}
	return "?column?"
}

// figureName returns a name and how good it is: 2 for the name of something, 1 for that of a type.
func figureName(x syntax.Expr) (name string, strength int) {
	switch x := x.(type) {
	case *syntax.ColumnRef:
		if len(x.Parts) > 0 {
			return x.Parts[len(x.Parts)-1], 2
		}
	case *syntax.Call:
		return x.Name, 2
	case *syntax.Cast:
		if name, strength = figureName(x.Arg); strength <= 1 {
			return x.Type.Name.Name, 1
		}
		return name, strength
	case *syntax.Collate:
		return figureName(x.Arg)
	case *syntax.Subscript:
		return figureName(x.Arg)
	case *syntax.Field:
		if !x.Star {
			return x.Name, 2
		}
	case *syntax.Case:
		if x.Else != nil {
			if name, strength = figureName(x.Else); strength > 1 {
				return name, strength
			}
		}
		return "case", 1
	case *syntax.Subquery:
		if len(x.Query.Items) > 0 {
			if it := x.Query.Items[0]; it.Alias != "" {
				return it.Alias, 2
			}
			return figureName(x.Query.Items[0].Expr)
		}
		if x.Query.Values != nil {
			return "column1", 2
		}
	}
	return wordName(x)
}

// wordName returns the name of an expression that begins with a word.
func wordName(x syntax.Expr) (string, int) {
	switch x := x.(type) {
	case *syntax.Coalesce:
		return "coalesce", 2
	case *syntax.MinMax:
		if x.Greatest {
			return "greatest", 2
		}
		return "least", 2
	case *syntax.NullIf:
		return "nullif", 2
	case *syntax.ArrayExpr, *syntax.ArrayQuery:
		return "array", 2
	case *syntax.RowExpr:
		return "row", 2
	case *syntax.Exists:
		return "exists", 2
	case *syntax.ValueFunction:
		return x.Name, 2
	}
	return "", 0
}
