package arch

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// confined are packages of other modules that not everybody shall have to compile,
// each with the units whose code may import it.
var confined = map[string][]string{
	// Programs in production record their histories, and simulations run, without it.
	"github.com/anishathalye/porcupine": {"model/objects", "checker", "internal/judging", "internal/benchchecker"},
	// Whoever searches without it still compiles it: the type of scenarios.Property
	// names it.
	"pgregory.net/rapid":         {"scenarios", "scenarios/internal", "internal/histories", "internal/fidelity"},
	"github.com/alecthomas/kong": {"simrun"},
	// It depends on the release of Go: see sim/goroutine.go.
	"github.com/petermattis/goid": {"sim"},
}

// TestConfined: what is heavy is imported only where it is needed.
func TestConfined(t *testing.T) {
	module, err := Load(os.DirFS("../.."))
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
				if unit := unitOf(p.dir); unit == nil || !slices.Contains(allowed, unit.Dir) {
					t.Errorf("%s imports %s, which only %s may", f.name, path, strings.Join(allowed, ", "))
				}
			}
		}
	}
	if len(seen) != len(confined) {
		t.Errorf("of what is confined only %v is imported anywhere", seen)
	}
}
