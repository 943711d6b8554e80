package simrun

import (
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"

	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/internal/wording"
)

// built matches the paths of programs that the go command builds in order to run them: in a temporary directory, or in its
// cache, wherever that is (GOCACHE).
var built = regexp.MustCompile(`/go-build|/[0-9a-f]{2}/[0-9a-f]{64}-d/[^/]+$`)

// invoked returns how the program was called in a directory, for the commands that it prints. For a program that go run or
// go tool has built it is that command: go tool if the module there has it as a tool.
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

// self returns the path of the program's main package.
func self() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" {
		return info.Path
	}
	return "github.com/lockpick-dev/lockpick/cmd/simrun"
}
