package arch

import (
	"cmp"
	"slices"
)

// Check checks the module by every rule and returns the violations, by place. The exports map import paths to files of
// export data; see [Exports].
func (m *Module) Check(exports map[string]string) []Problem {
	typed := m.typeCheck(exports)
	for _, p := range m.packages {
		m.checkImports(p)
		for _, f := range p.files {
			m.checkSources(p, f)
			if f.test {
				continue
			}
			m.checkLength(f)
			m.checkWords(f)
			m.checkPlain(f)
			if info := typed[p]; info != nil && f.built {
				m.checkOrder(p, f, info)
			}
		}
		m.checkGroups(p, typed[p])
	}
	slices.SortStableFunc(m.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Pos.Filename, b.Pos.Filename), cmp.Compare(a.Pos.Line, b.Pos.Line))
	})
	return m.problems
}
