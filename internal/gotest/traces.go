package gotest

import (
	"path/filepath"

	"github.com/lockpick-dev/lockpick/traces"
)

// Replay returns the command that replays a trace of a test's lock in the test's own process, from anywhere in the test's
// module. Path is that of the trace.
func Replay(t *traces.Trace, path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs // the test runs in its package's directory
	}
	return Command{Verbose: true, Pattern: Pattern(t.Test.Name + "/" + t.Scenario), Package: t.Test.Package, Flags: []string{ReplayFlag(path)}}.String()
}
