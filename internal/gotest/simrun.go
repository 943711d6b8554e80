package gotest

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// Lockpick is the path of the module, and Program that of program simrun in it.
const (
	Lockpick = "github.com/lockpick-dev/lockpick"
	Program  = Lockpick + "/cmd/simrun"
)

// Simrun is the command that runs simrun in the module of a directory without installing it. Info is that of a program which
// uses the same version of Lockpick.
func Simrun(dir string, info *debug.BuildInfo) string {
	if IsTool(Program, dir) {
		return "go tool simrun"
	}
	if info != nil {
		for _, m := range info.Deps {
			if m.Path == Lockpick && m.Replace == nil && strings.HasPrefix(m.Version, "v") && m.Version != "v0.0.0" {
				return "go run " + Program + "@" + m.Version
			}
		}
	}
	return "go run " + Program
}

// Kept is the name of a trace that the tests of a package have kept, for simrun from any directory of the module: its path in that
// directory behind the import path. [IsKept] splits it.
func Kept(pkg, path string) string {
	if pkg == "" || !strings.HasPrefix(path, keptDir+"/") {
		return path
	}
	return pkg + "/" + path
}

// keptDir is where tests keep traces, in the directory of their package.
const keptDir = "testdata/simrun"

// IsKept splits the name of a trace that [Kept] has made.
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
