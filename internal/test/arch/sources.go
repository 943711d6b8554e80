package arch

import (
	"go/ast"
	"path"
	"slices"
	"strings"
)

// A source is a package through which something that no tape decides could
// reach a run.
type source struct {
	path string
	rule Rule
	// names are the package's functions and variables that are forbidden, or
	// all but those, if only is false.
	names []string
	only  bool
	// tests is set if the rule holds in test files too.
	tests   bool
	why, do string
}

// sources are all that the rules Clock, Random and Shared forbid.
var sources = []source{
	{
		path: "time", rule: Clock, only: true,
		names: []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"},
		why:   "goes by package time's clock, past the process's own (skew, pauses) and the event log",
		do:    "use the process's Clock, or the run's virtual time",
	},
	{
		path: "math/rand/v2", rule: Random, tests: true,
		names: []string{"New", "NewPCG", "NewChaCha8", "NewZipf", "Rand", "Source", "PCG", "ChaCha8", "Zipf"},
		why:   "draws from a process-wide source that cannot be seeded",
		do:    drawFrom + "; lock code may also draw from math/rand, which each run seeds",
	},
	{
		path: "hash/maphash", rule: Random,
		why: "hashes differently in every process",
		do:  "use hash/fnv",
	},
	{
		path: "math/rand", rule: Shared, tests: true,
		names: []string{"New", "NewSource", "NewZipf", "Rand", "Source", "Source64", "Zipf"},
		why:   "draws from the process-wide source, which is the code under test's",
		do:    drawFrom,
	},
	{
		path: "crypto/rand", rule: Shared,
		why: "draws from the process-wide source, which is the code under test's",
		do:  drawFrom,
	},
}

const drawFrom = "draw from the process's Rand, or from rand.New with a seed that the tape or the search chose"

func (s source) forbids(name string) bool {
	return s.only == slices.Contains(s.names, name)
}

// checkSources looks for uses of what the sources forbid: any mention, not
// only calls, so that time.Now handed on as a value is found too. It goes by
// the names that the file gives to its imports.
func (m *Module) checkSources(p *pkg, f *file) {
	named := map[string]source{}
	for _, spec := range f.Imports {
		at := slices.IndexFunc(sources, func(s source) bool { return s.path == importPath(spec) })
		if at < 0 || !m.holds(sources[at].rule, p, f) || f.test && !sources[at].tests {
			continue
		}
		s := sources[at]
		switch {
		case spec.Name == nil:
			named[defaultName(s.path)] = s
		case spec.Name.Name == ".":
			m.add(spec.Pos(), s.rule, "dot import of "+s.path, "import it by name, so that its uses can be seen")
		case spec.Name.Name != "_":
			named[spec.Name.Name] = s
		}
	}
	if len(named) == 0 {
		return
	}
	ast.Inspect(f.File, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := selector.X.(*ast.Ident); ok {
			if s, ok := named[x.Name]; ok && s.forbids(selector.Sel.Name) {
				m.add(selector.Pos(), s.rule, s.path+"."+selector.Sel.Name+" "+s.why, s.do)
			}
		}
		return true
	})
}

// defaultName returns the name that an import without one is used by.
func defaultName(importPath string) string {
	return path.Base(strings.TrimSuffix(importPath, "/v2"))
}
