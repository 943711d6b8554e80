package arch

import (
	"go/ast"
	"testing"
)

// TestTapesAskForSelects: a type that embeds a sim.Tape has a method ChooseSelect of its own. Without it the type would hide
// that of the tape, and the selects of its runs would all be in the order of the source.
func TestTapesAskForSelects(t *testing.T) {
	module, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	embeds, answers := map[string]string{}, map[string]bool{}
	for _, p := range module.packages {
		for _, f := range p.files {
			if f.test {
				continue
			}
			ast.Inspect(f.File, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.TypeSpec:
					if s, is := n.Type.(*ast.StructType); is && embedsTape(s) {
						embeds[p.dir+"."+n.Name.Name] = f.name
					}
				case *ast.FuncDecl:
					if n.Recv != nil && n.Name.Name == "ChooseSelect" {
						receiver := n.Recv.List[0].Type
						if star, is := receiver.(*ast.StarExpr); is {
							receiver = star.X
						}
						if name, is := receiver.(*ast.Ident); is {
							answers[p.dir+"."+name.Name] = true
						}
					}
				}
				return true
			})
		}
	}
	if len(embeds) < 4 {
		t.Errorf("only %d types are seen that embed a tape", len(embeds))
	}
	for name, file := range embeds { // unordered: each by itself
		if !answers[name] {
			t.Errorf("%s: %s embeds a sim.Tape and has no method ChooseSelect: the selects of its runs would never be reversed", file, name)
		}
	}
}

// embedsTape reports whether a structure embeds a sim.Tape.
func embedsTape(s *ast.StructType) bool {
	for _, f := range s.Fields.List {
		if sel, is := f.Type.(*ast.SelectorExpr); is && len(f.Names) == 0 && sel.Sel.Name == "Tape" {
			if x, is := sel.X.(*ast.Ident); is && x.Name == "sim" {
				return true
			}
		}
	}
	return false
}
