package arch

import (
	"go/ast"
	"go/types"
	"strings"
)

// unordered are the functions that hand out a map's entries in the map's
// order, by their full names.
var unordered = map[string]bool{
	"maps.All":                 true,
	"maps.Keys":                true,
	"maps.Values":              true,
	"(reflect.Value).MapKeys":  true,
	"(reflect.Value).MapRange": true,
	"(*sync.Map).Range":        true,
}

// ordering are the functions after which the order of their arguments is gone.
var ordering = map[string]bool{
	"slices.Sorted":           true,
	"slices.SortedFunc":       true,
	"slices.SortedStableFunc": true,
	"maps.Collect":            true,
	"maps.Insert":             true,
}

// checkOrder looks for iterations over maps, in all the ways that there are.
// Loops that see neither keys nor values are fine: they only count.
func (m *Module) checkOrder(p *pkg, f *file, info *types.Info) {
	if !m.holds(Order, p, f) {
		return
	}
	const do = "go over slices.Sorted(maps.Keys(...)), or say on the line above, or at its end, why order cannot matter: // unordered: ..."
	excused := m.excuses(f)
	leak := func(n ast.Node, what string) {
		if !excused.at(m.fset.Position(n.Pos()).Line) {
			m.add(n.Pos(), Order, what, do)
		}
	}
	harmless := map[*ast.Ident]bool{}
	ast.Inspect(f.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.RangeStmt:
			if isMap(info.TypeOf(n.X)) && (named(n.Key) || named(n.Value)) {
				leak(n, "this loop runs in the random order of a map")
			}
		case *ast.CallExpr:
			if ordering[calledName(n, info)] {
				for _, arg := range n.Args {
					harmless[called(arg)] = true
				}
			}
		case *ast.Ident:
			if name := fullName(n, info); unordered[name] && !harmless[n] {
				leak(n, name+" runs in the random order of a map")
			}
		}
		return true
	})
	for _, c := range f.Comments {
		if e := excused[m.fset.Position(c.End()).Line]; e != nil && !e.used {
			m.add(c.Pos(), Order, "this comment excuses nothing: no map is gone over here or on the next line",
				"move it to the line above the iteration, or delete it")
		}
	}
}

// excuses are the "unordered:" comments of a file, by their last line.
type excuses map[int]*excuse

// excuse is one of them. It is trailing if it is at the end of the line
// that it excuses.
type excuse struct{ used, trailing bool }

// at reports whether an iteration on a line is excused. It is asked in the
// order of the lines, so a comment at the end of an outer loop's first line
// does not excuse the inner loop below it as well.
func (e excuses) at(line int) bool {
	if here := e[line]; here != nil {
		here.used, here.trailing = true, true
		return true
	}
	above := e[line-1]
	if above == nil || above.trailing {
		return false
	}
	above.used = true
	return true
}

// excuses finds the excuses of a file.
func (m *Module) excuses(f *file) excuses {
	found := excuses{}
	for _, group := range f.Comments {
		for _, c := range group.List {
			reason, ok := strings.CutPrefix(c.Text, "// unordered:")
			switch {
			case !ok:
			case strings.TrimSpace(reason) == "":
				m.add(c.Pos(), Order, "this comment gives no reason", "say why order cannot matter: // unordered: <reason>")
			default:
				found[m.fset.Position(group.End()).Line] = &excuse{}
			}
		}
	}
	return found
}

// isMap reports whether t is a map, or a type parameter that may be one.
func isMap(t types.Type) bool {
	if t == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Map:
		return true
	case *types.Interface: // of a type parameter: nothing else of that kind can be gone over
		for i := range u.NumEmbeddeds() {
			if isMap(u.EmbeddedType(i)) {
				return true
			}
		}
	case *types.Union:
		for i := range u.Len() {
			if isMap(u.Term(i).Type()) {
				return true
			}
		}
	}
	return false
}

// named reports whether a loop variable is there and is not blank.
func named(variable ast.Expr) bool {
	id, ok := variable.(*ast.Ident)
	return variable != nil && (!ok || id.Name != "_")
}

// called returns the identifier of the function that an expression calls, or nil.
func called(e ast.Expr) *ast.Ident {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return nil
	}
	fun := ast.Unparen(call.Fun)
	switch instance := fun.(type) { // f[K, V](...)
	case *ast.IndexExpr:
		fun = instance.X
	case *ast.IndexListExpr:
		fun = instance.X
	}
	switch fun := fun.(type) {
	case *ast.Ident:
		return fun
	case *ast.SelectorExpr:
		return fun.Sel
	}
	return nil
}

// calledName returns the full name of the function that a call calls, or "".
func calledName(call *ast.CallExpr, info *types.Info) string { return fullName(called(call), info) }

// fullName returns the full name of the function that an identifier stands for, or
// "".
func fullName(id *ast.Ident, info *types.Info) string {
	if f, ok := info.Uses[id].(*types.Func); ok {
		return f.FullName()
	}
	return ""
}
