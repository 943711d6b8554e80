package executor

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
)

// sameExpr reports whether two expressions are written alike, apart from their places in the text.
func sameExpr(x, y syntax.Expr) bool {
	return sameTree(reflect.ValueOf(x), reflect.ValueOf(y))
}

// sameTree compares two trees without positions.
func sameTree(x, y reflect.Value) bool {
	if x.IsValid() != y.IsValid() || x.IsValid() && x.Type() != y.Type() {
		return false
	}
	if !x.IsValid() {
		return true
	}
	switch x.Kind() {
	case reflect.Interface, reflect.Pointer:
		if x.IsNil() || y.IsNil() {
			return x.IsNil() && y.IsNil()
		}
		return sameTree(x.Elem(), y.Elem())
	case reflect.Struct:
		for i := range x.NumField() {
			if name := x.Type().Field(i).Name; name != "Pos" && !sameTree(x.Field(i), y.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if x.Len() != y.Len() {
			return false
		}
		for i := range x.Len() {
			if !sameTree(x.Index(i), y.Index(i)) {
				return false
			}
		}
		return true
	}
	return x.Equal(y)
}

// exprText writes an expression, nearly as PostgreSQL shows it.
func exprText(x syntax.Expr) string {
	switch x := x.(type) {
	case *syntax.Const:
		switch x.Kind {
		case syntax.String:
			return "'" + strings.ReplaceAll(x.Text, "'", "''") + "'"
		case syntax.Null:
			return "NULL"
		}
		return x.Text
	case *syntax.ColumnRef:
		var parts []string
		for _, p := range x.Parts {
			parts = append(parts, quoteName(p))
		}
		return strings.Join(parts, ".")
	case *syntax.Cast:
		return "(" + exprText(x.Arg) + ")::" + x.Type.Name.Name
	case *syntax.Op:
		if x.Left == nil {
			return "(" + x.Name + " " + exprText(x.Right) + ")"
		}
		return "(" + exprText(x.Left) + " " + x.Name + " " + exprText(x.Right) + ")"
	case *syntax.Call:
		return x.Name + "(" + exprTexts(x.Args) + ")"
	case *syntax.Coalesce:
		return "COALESCE(" + exprTexts(x.Args) + ")"
	case *syntax.ValueFunction:
		return strings.ToUpper(x.Name)
	}
	return conditionText(x)
}

// conditionText writes a condition.
func conditionText(x syntax.Expr) string {
	switch x := x.(type) {
	case *syntax.Logic:
		word := " AND "
		if x.Or {
			word = " OR "
		}
		var parts []string
		for _, arg := range x.Args {
			parts = append(parts, exprText(arg))
		}
		return "(" + strings.Join(parts, word) + ")"
	case *syntax.Not:
		return "(NOT " + exprText(x.Arg) + ")"
	case *syntax.Is:
		not := ""
		if x.Not {
			not = "NOT "
		}
		return "(" + exprText(x.Arg) + " IS " + not + x.Test + ")"
	case *syntax.In:
		if x.Query == nil {
			return "(" + exprText(x.Arg) + " IN (" + exprTexts(x.List) + "))"
		}
	case *syntax.Between:
		return "(" + exprText(x.Arg) + " BETWEEN " + exprText(x.Low) + " AND " + exprText(x.High) + ")"
	case *syntax.Quantified:
		if x.Array != nil {
			return "(" + exprText(x.Left) + " " + x.Op + " ANY (" + exprText(x.Array) + "))"
		}
	case *syntax.ArrayExpr:
		return "ARRAY[" + exprTexts(x.Items) + "]"
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", x), "*syntax.")
}

func exprTexts(list []syntax.Expr) string {
	var parts []string
	for _, x := range list {
		parts = append(parts, exprText(x))
	}
	return strings.Join(parts, ", ")
}
