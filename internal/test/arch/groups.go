package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"
)

// checkGroups holds a package to the groups of its unit, if it has any. Test files are
// free.
func (m *Module) checkGroups(p *pkg, info *types.Info) {
	u := m.unitOf(p.dir)
	if u == nil || u.Dir != p.dir || len(u.Groups) == 0 || len(p.files) == 0 {
		return
	}
	m.checkGroupList(p, u)
	of := map[string]*Group{} // by the name of the file
	for _, f := range p.files {
		if g := m.groupOf(u, f); g != nil {
			of[f.name] = g
		}
	}
	if info == nil {
		return // it does not type-check, which is a problem of its own
	}
	for _, f := range p.files {
		if g := of[f.name]; g != nil && f.built {
			m.checkUses(f, g, of, info)
		}
	}
}

// checkGroupList looks for mistakes in the list of groups itself. It reports them at the
// package's first file.
func (m *Module) checkGroupList(p *pkg, u *Unit) {
	wrong := func(format string, args ...any) {
		m.add(p.files[0].Name.Pos(), Groups, "the groups of "+u.Dir+": "+fmt.Sprintf(format, args...), "mend the layout")
	}
	known := map[string]bool{}
	for _, g := range u.Groups {
		for _, below := range g.Below {
			if !known[below] {
				wrong("%s may use %s, which is no group before it", g.Name, below)
			}
		}
		if known[g.Name] {
			wrong("two are called %s", g.Name)
		}
		known[g.Name] = true
		for _, pattern := range g.Files {
			if !slices.ContainsFunc(p.files, func(f *file) bool { return !f.test && matches(pattern, f) }) {
				wrong("%s of %s is no file", pattern, g.Name)
			}
		}
	}
}

// groupOf returns the group of a file, nil for a test file. It reports a file that is in no
// group, or in two.
func (m *Module) groupOf(u *Unit, f *file) (found *Group) {
	if f.test {
		return nil
	}
	for i := range u.Groups {
		g := &u.Groups[i]
		if !slices.ContainsFunc(g.Files, func(pattern string) bool { return matches(pattern, f) }) {
			continue
		}
		if found != nil {
			m.add(f.Name.Pos(), Groups, fmt.Sprintf("the file is in two groups, %s and %s", found.Name, g.Name), "name it in one")
			return found
		}
		found = g
	}
	if found == nil {
		m.add(f.Name.Pos(), Groups, "the file is in no group of "+u.Dir, "name it in one: see the layout")
	}
	return found
}

// matches reports whether the pattern is one of the file.
func matches(pattern string, f *file) bool {
	ok, err := path.Match(pattern, path.Base(f.name))
	return ok && err == nil
}

// checkUses holds a file to what its group may use, and reports each declaration that it
// may not use once.
func (m *Module) checkUses(f *file, own *Group, of map[string]*Group, info *types.Info) {
	reported := map[token.Pos]bool{}
	ast.Inspect(f.File, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		used := info.Uses[id]
		if used == nil || !used.Pos().IsValid() || reported[used.Pos()] {
			return true
		}
		declared := m.fset.Position(used.Pos()).Filename
		g := of[declared]
		_, constant := used.(*types.Const)
		switch {
		case g == own && own.Apart && declared != f.name && !constant:
			reported[used.Pos()] = true
			m.add(id.Pos(), Groups, fmt.Sprintf("%s uses %s, which %s declares, a file of the same group", path.Base(f.name), describe(used), path.Base(declared)),
				"the files of "+own.Name+" do not use each other: move what both need into a group below")
		case g != nil && g != own && !slices.Contains(own.Below, g.Name):
			reported[used.Pos()] = true
			m.add(id.Pos(), Groups, fmt.Sprintf("%s (%s) uses %s, which %s (%s) declares", path.Base(f.name), own.Name, describe(used), path.Base(declared), g.Name),
				mayUse(own)+": move one of the two, or let the lower group declare an interface that the upper one implements")
		}
		return true
	})
}

// mayUse describes what the files of a group may use.
func mayUse(g *Group) string {
	if len(g.Below) == 0 {
		return g.Name + " uses no other group"
	}
	return g.Name + " may use only " + strings.Join(g.Below, ", ")
}

// describe names a declaration: "Run", "World.Now", "field seed".
func describe(o types.Object) string {
	switch o := o.(type) {
	case *types.Var:
		if o.IsField() {
			return "field " + o.Name()
		}
	case *types.Func:
		if recv := o.Signature().Recv(); recv != nil {
			t := recv.Type()
			if pointer, ok := t.(*types.Pointer); ok {
				t = pointer.Elem()
			}
			if named, ok := t.(*types.Named); ok {
				return named.Obj().Name() + "." + o.Name()
			}
			return "method " + o.Name()
		}
	}
	return o.Name()
}
