package simrun

import (
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"

	"github.com/lockpick-dev/lockpick/internal/gotest"
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
		if gotest.IsTool(self(), dir) {
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
	return gotest.Program
}
