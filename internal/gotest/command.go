package gotest

import (
	"regexp"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// Pattern returns go test's pattern for the test of that name alone.
func Pattern(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// Command is the go test command that runs the tests of a pattern.
type Command struct {
	Verbose bool
	Pattern string
	// Package is the import path of the tests, empty for those of the working directory.
	Package string
	Flags   []string // in the form for a shell
}

// String returns the command for a shell.
func (c Command) String() string {
	words := []string{"go", "test"}
	if c.Verbose {
		words = append(words, "-v")
	}
	words = append(words, "-run", wording.Shell(c.Pattern))
	if c.Package != "" {
		words = append(words, wording.ShellPath(c.Package))
	}
	return strings.Join(append(words, c.Flags...), " ")
}

// ReplayFlag returns the flag that replays the trace at a path, for a [Command].
func ReplayFlag(path string) string { return "-simrun.replay=" + wording.Shell(path) }
