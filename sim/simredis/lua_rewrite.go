package simredis

import (
	"reflect"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// The interpreter converts numbers to text and back inside its operators, which no
// library function can replace. So the operators are rewritten before they are
// compiled: a .. b .. c becomes a call of concat(a, b, c), and an operand of arithmetic
// that may be a string a call of number(operand). No script can see the two functions:
// the calls name them by a constant, which is replaced in the code.

const (
	concatMark = "\x00 operator ..\x00"
	numberMark = "\x00 operand\x00"
)

// operators are the functions that the constants stand for. They have no state, and any
// interpreter can call them.
var operators = map[lua.LValue]*lua.LFunction{
	lua.LString(concatMark): {IsG: true, Env: &lua.LTable{}, GFunction: concat},
	lua.LString(numberMark): {IsG: true, Env: &lua.LTable{}, GFunction: operand},
}

func compile(source, name string) (*lua.FunctionProto, error) {
	tree, err := parse.Parse(strings.NewReader(source), name)
	if err != nil {
		return nil, err
	}
	rewrite(reflect.ValueOf(tree))
	code, err := lua.Compile(tree, name)
	if err != nil {
		return nil, err
	}
	bind(code)
	code.IsVarArg &^= lua.VarArgNeedsArg // a table of the script's own arguments, which it cannot name
	return code, nil
}

// bind puts the operators into the code.
func bind(code *lua.FunctionProto) {
	for i, c := range code.Constants {
		if f := operators[c]; f != nil {
			code.Constants[i] = f
		}
	}
	for _, inner := range code.FunctionPrototypes {
		bind(inner)
	}
}

// rewrite rewrites the operators in a part of a syntax tree.
func rewrite(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			rewrite(v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			rewrite(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				rewrite(v.Field(i))
			}
		}
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		rewrite(v.Elem())
		if e, ok := v.Interface().(ast.Expr); ok {
			v.Set(reflect.ValueOf(rewritten(e)))
		}
		switch s := v.Interface().(type) {
		case *ast.NumberForStmt:
			s.Init, s.Limit, s.Step = numeric(s.Init), numeric(s.Limit), numeric(s.Step)
		case *ast.AssignStmt:
			shield(s.Rhs)
		}
	}
}

// rewritten returns an expression whose parts have been rewritten already.
func rewritten(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.NumberExpr:
		if v, ok := parseNumber(e.Value); ok {
			e.Value = formatNumber(v, callDigits)
		}
	case *ast.ArithmeticOpExpr:
		e.Lhs, e.Rhs = numeric(e.Lhs), numeric(e.Rhs)
	case *ast.UnaryMinusOpExpr:
		e.Expr = numeric(e.Expr)
	case *ast.StringConcatOpExpr:
		args := []ast.Expr{e.Lhs, e.Rhs}
		if rest, ok := e.Rhs.(*ast.FuncCallExpr); ok && isOperator(rest, concatMark) {
			args = append([]ast.Expr{e.Lhs}, rest.Args...)
		}
		return operator(e, concatMark, args)
	}
	return e
}

// numeric returns an operand of arithmetic.
func numeric(e ast.Expr) ast.Expr {
	switch e.(type) {
	case nil, *ast.NumberExpr, *ast.ArithmeticOpExpr, *ast.UnaryMinusOpExpr, *ast.UnaryLenOpExpr:
		return e
	}
	return operator(e, numberMark, []ast.Expr{e})
}

// operator returns a call of one of the operators, where e was.
func operator(e ast.Expr, mark string, args []ast.Expr) ast.Expr {
	name := &ast.StringExpr{Value: mark}
	call := &ast.FuncCallExpr{Func: name, Args: args}
	// The last argument of a call may be many values; an operand is one.
	switch last := args[len(args)-1].(type) {
	case *ast.FuncCallExpr:
		last.AdjustRet = true
	case *ast.Comma3Expr:
		last.AdjustRet = true
	}
	for _, node := range []ast.PositionHolder{name, call} {
		node.SetLine(e.Line())
		node.SetLastLine(e.LastLine())
	}
	return call
}

// shield works around a bug of the compiler: for x, y = f(x), 1 it puts f into x's
// register, if x is the last parameter of a function, and then calls f with itself.
// Only the last of the values is safe.
func shield(values []ast.Expr) {
	for i, e := range values[:len(values)-1] {
		if call, ok := e.(*ast.FuncCallExpr); ok && isOperator(call, concatMark) {
			values[i] = &ast.AttrGetExpr{Object: &ast.TableExpr{Fields: []*ast.Field{{Value: call}}}, Key: &ast.NumberExpr{Value: "1"}}
			values[i].SetLine(e.Line())
		}
	}
}

func isOperator(e *ast.FuncCallExpr, mark string) bool {
	name, ok := e.Func.(*ast.StringExpr)
	return ok && name.Value == mark
}

// concat returns the operator .. of all its operands, from the right.
func concat(l *lua.LState) int {
	result := l.Get(l.GetTop())
	for i := l.GetTop() - 1; i > 0; i-- {
		left := l.Get(i)
		a, ok := stringOf(left)
		b, ok2 := stringOf(result)
		if ok && ok2 {
			result = lua.LString(a + b)
			continue
		}
		f := l.GetMetaField(left, "__concat")
		if f == lua.LNil {
			f = l.GetMetaField(result, "__concat")
		}
		if f == lua.LNil {
			odd := left
			if ok {
				odd = result
			}
			l.RaiseError("attempt to concatenate a %s value", odd.Type())
		}
		l.Push(f)
		l.Push(left)
		l.Push(result)
		l.Call(2, 1)
		result = l.Get(-1)
		l.Pop(1)
	}
	l.Push(result)
	return 1
}

// operand converts a string that looks like a number, and returns other values
// unchanged.
func operand(l *lua.LState) int {
	v := l.Get(1)
	if s, ok := v.(lua.LString); ok {
		if n, ok := parseNumber(string(s)); ok {
			v = lua.LNumber(n)
		}
	}
	l.Push(v)
	return 1
}
