package gotest

import (
	"path/filepath"
	"strings"

	"github.com/lockpick-dev/lockpick/traces"
)

// Replay is the command that replays a trace of a test's lock from anywhere in the test's
// module. Path is that of the trace.
func Replay(t *traces.Trace, path string) string { return commandOf(t, path, ReplayFlag) }

// Diff is the command that compares a counterexample of a test with its nearest passing run.
func Diff(t *traces.Trace, path string) string {
	return commandOf(t, path, ReplayFlag, func(path string) string {
		return DiffFlag(strings.TrimSuffix(path, ".json") + ".diff.html")
	})
}

// Shrink is the command that shrinks a trace of a test's lock from anywhere in the test's
// module, and writes the smaller one beside it. Path is that of the trace.
func Shrink(t *traces.Trace, path string) string { return commandOf(t, path, ShrinkFlag) }

// Confirm is the command that makes a trace of a test's lock happen on real servers.
func Confirm(t *traces.Trace, path string) string { return commandOf(t, path, ConfirmFlag) }

// Export is the command that writes a Go test of a trace at a path.
func Export(t *traces.Trace, path string) string { return commandOf(t, path, ExportFlag) }

// commandOf is the command that runs the test of a trace with flags that name it.
func commandOf(t *traces.Trace, path string, flags ...func(path string) string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs // the test runs in its package's directory
	}
	c := Command{Verbose: true, Pattern: Pattern(t.Test.Name + "/" + t.Scenario), Package: t.Test.Package}
	for _, flag := range flags {
		c.Flags = append(c.Flags, flag(path))
	}
	return c.String()
}
