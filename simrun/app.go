package simrun

import (
	"io"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/ci"
	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// app is the program with all of its dependencies, so that tests can run it in memory with other locks.
type app struct {
	name     string // the command that runs it
	in       io.Reader
	out, err io.Writer
	locks    []cell.Lock     // and programs
	unusable []error         // errors in the programs that it was given
	families []expect.Family // expectations of locks
	// scenarios are those besides Lockpick's, and properties those besides the checker's own.
	scenarios  []*cell.Scenario
	properties []checker.Property
	elsewhere  map[string]string // how to get the programs that have more, by the name of a store or a command
	commands   []command.Command // of other modules
	worker     explore.Worker
	github     *ci.GitHub // the step that it runs in, nil if none
	maxTrace   int        // the longest trace in bytes; 0 for traces.MaxSize
}

// Exit codes, as in package recorded. Users rely on them, so their numbers are here.
const (
	exitNone         = 0
	exitViolation    = 1
	exitUsage        = 2
	exitInconclusive = 3
	exitTrouble      = 4
	exitInternal     = 5
	exitInterrupted  = 130
)

// usageError is an error in the command line or in a file.
type usageError struct{ error }

// Unwrap returns the wrapped error.
func (e usageError) Unwrap() error { return e.error }

// exitCode is an error that sets the exit code.
type exitCode = recorded.Exit
