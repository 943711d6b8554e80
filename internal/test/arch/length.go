package arch

import (
	"fmt"
	"go/ast"
)

// checkLength looks for functions that do not fit a screen. A function literal
// counts with the function around it.
func (m *Module) checkLength(f *file) {
	ast.Inspect(f.File, func(n ast.Node) bool {
		name := ""
		switch n := n.(type) {
		case *ast.FuncDecl:
			name = n.Name.Name
		case *ast.FuncLit:
			name = "this function literal"
		default:
			return true
		}
		lines := m.fset.Position(n.End()).Line - m.fset.Position(n.Pos()).Line + 1
		if lines > MaxLines {
			m.add(n.Pos(), Length, fmt.Sprintf("%s has %d lines, more than %d", name, lines, MaxLines),
				"take out a part that can be named")
		}
		return false
	})
}
