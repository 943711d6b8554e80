package gotest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Program is the path of the program simrun with all stores and all commands, in a module of its own: that of Lockpick's
// main module cannot run counterexamples on real servers.
const Program = "github.com/lockpick-dev/lockpick/lab/cmd/simrun"

// Simrun returns the command that runs [Program] in the module of a directory. If the module does not require it, the go
// command prints how to get it.
func Simrun(dir string) string {
	if IsTool(Program, dir) {
		return "go tool simrun"
	}
	return "go run " + Program
}

// Kept returns the name of a kept trace of a package's tests, for simrun from any directory of the module: the import
// path, followed by the trace's path in that directory. [IsKept] splits it.
func Kept(pkg, path string) string {
	if pkg == "" || !strings.HasPrefix(path, keptDir+"/") {
		return path
	}
	return pkg + "/" + path
}

// keptDir is the directory of kept traces, in that of their package.
const keptDir = "testdata/simrun"

// IsKept splits the name of a trace made by [Kept].
func IsKept(name string) (pkg, path string, is bool) {
	pkg, path, is = strings.Cut(name, "/"+keptDir+"/")
	return pkg, keptDir + "/" + path, is
}

// IsTool reports whether the module of a directory names a package as a tool, as go get -tool
// does.
func IsTool(pkg, dir string) bool {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			return namesTool(string(text), pkg)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

// namesTool reports whether a go.mod file names a package as a tool, on a line of its own or in a
// block.
func namesTool(mod, pkg string) bool {
	block := false
	for line := range strings.Lines(mod) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		switch {
		case slices.Equal(words, []string{"tool", "("}):
			block = true
		case slices.Equal(words, []string{")"}):
			block = false
		case block && slices.Equal(words, []string{pkg}), slices.Equal(words, []string{"tool", pkg}):
			return true
		}
	}
	return false
}
