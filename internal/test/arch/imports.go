package arch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// checkImports holds a package to the layout. External test packages are free:
// nothing depends on them, and they may want to judge what a higher level made.
func (m *Module) checkImports(p *pkg) {
	from := m.unitOf(p.dir)
	if from == nil {
		if len(p.files) > 0 {
			m.add(p.files[0].Name.Pos(), Place, "package "+p.dir+" has no place in the layout",
				"give it one in Layout, internal/test/arch/layout.go")
		}
		return
	}
	for _, f := range p.files {
		if f.external() {
			continue
		}
		for _, spec := range f.Imports {
			to := importPath(spec)
			if !m.own(to) {
				continue
			}
			dir := strings.TrimPrefix(strings.TrimPrefix(to, m.Path), "/")
			dir = cmp.Or(dir, ".")
			if !from.mayImport(m.unitOf(dir), f.test) {
				m.add(spec.Pos(), Imports, fmt.Sprintf("%s imports %s", from.Dir, dir), mayImport(from))
			}
		}
	}
}

// mayImport decides whether a file of the unit, a test or not, may import
// another unit.
func (u *Unit) mayImport(other *Unit, test bool) bool {
	switch {
	case other == nil:
		return false
	case other == u || slices.Contains(u.Below, other.Dir):
		return true
	}
	return test && slices.Contains(u.Tests, other.Dir)
}

func mayImport(u *Unit) string {
	if len(u.Below) == 0 {
		return u.Dir + " imports nothing of this module: move what it needs down into it, or have it handed in"
	}
	return fmt.Sprintf("%s may import only %s: imports go one way (internal/test/arch/layout.go)", u.Dir, strings.Join(u.Below, ", "))
}
