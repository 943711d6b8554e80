package arch

import (
	"slices"
	"strings"
	"testing"
)

// confined are packages of other modules that not everybody shall have to compile,
// each with the units whose code may import it.
var confined = map[string][]string{
	// Programs in production record their histories, and simulations run, without it.
	"github.com/anishathalye/porcupine": {"model/objects", "program", "program/models", "checker", "internal/judging", "bench/checker"},
	// Whoever searches without it does not compile it.
	"pgregory.net/rapid":         {"locktest/rapidtest", "locktest/internal/rapidtape", "internal/test/histories", "storetest/fidelity"},
	"github.com/alecthomas/kong": {"simrun"},
	// It depends on the release of Go: see sim/internal/goruntime.
	"github.com/petermattis/goid": {"sim"},
}

// TestConfined: what is heavy is imported only where it is needed.
func TestConfined(t *testing.T) {
	module, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, p := range module.packages {
		for _, f := range p.files {
			if f.test {
				continue
			}
			for _, spec := range f.Imports {
				path := importPath(spec)
				allowed, is := confined[path]
				if !is {
					continue
				}
				seen[path] = true
				if unit := module.unitOf(p.dir); unit == nil || !slices.Contains(allowed, unit.Dir) {
					t.Errorf("%s imports %s, which only %s may", f.name, path, strings.Join(allowed, ", "))
				}
			}
		}
	}
	if len(seen) != len(confined) {
		t.Errorf("of what is confined only %v is imported anywhere", seen)
	}
}

// TestSearchesCompileNoStore: a test that imports locktest compiles the client of the store that it
// imports, and nothing else that is heavy. What is allowed is small, or judges histories.
func TestSearchesCompileNoStore(t *testing.T) {
	module, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	small := []string{"github.com/jonboulle/clockwork", "github.com/petermattis/goid", "github.com/anishathalye/porcupine"}
	stores := []string{"stores/", "sim/sim", "lock/"}
	seen := map[string]bool{}
	var visit func(dir string)
	visit = func(dir string) {
		if seen[dir] {
			return
		}
		seen[dir] = true
		if slices.ContainsFunc(stores, func(s string) bool { return strings.HasPrefix(dir, s) }) {
			t.Errorf("locktest compiles %s", dir)
		}
		for _, p := range module.packages {
			if p.dir != dir {
				continue
			}
			for _, f := range p.files {
				if f.test {
					continue
				}
				for _, spec := range f.Imports {
					path := importPath(spec)
					switch first, _, _ := strings.Cut(path, "/"); {
					case module.own(path):
						visit(strings.TrimPrefix(path, module.Path+"/"))
					case strings.Contains(first, ".") && !slices.Contains(small, path):
						t.Errorf("locktest compiles %s, which %s imports", path, f.name)
					}
				}
			}
		}
	}
	visit("locktest")
	if !seen["cell"] || !seen["sim"] {
		t.Errorf("only %d packages were seen", len(seen))
	}
}
