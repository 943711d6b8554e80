package simrun

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// built are the paths of what the go command has built to run it: in a directory of its own for the time, or in its cache,
// wherever that is (GOCACHE).
var built = regexp.MustCompile(`/go-build|/[0-9a-f]{2}/[0-9a-f]{64}-d/[^/]+$`)

// invoked is how the program was called in a directory, for the commands that it prints. What go
// run and go tool have built is called in the same way: if the module there has it as a tool, it
// is that.
func invoked(arg0, dir string) string {
	switch {
	case built.MatchString(filepath.ToSlash(arg0)):
		if isTool(self(), dir) {
			return "go tool " + path.Base(self())
		}
		return "go run " + self()
	case arg0 == "":
		return "simrun"
	}
	return wording.Shell(arg0)
}

// self is the path of the program's main package.
func self() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" {
		return info.Path
	}
	return "github.com/lockpick-dev/lockpick/cmd/simrun"
}

// isTool reports whether the module of a directory names a package as a tool, as go get -tool
// does.
func isTool(pkg, dir string) bool {
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
