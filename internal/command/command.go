package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// Command is a command to add.
type Command struct {
	Name, Help string
	// Grammar is a pointer to a struct for kong. Its Run methods, or those of its subcommands, may have parameters of the
	// types context.Context and [Host].
	Grammar any
	// Runner returns the Runner for one of the command's own jobs in a worker process, or nil without an error if raw is not
	// such a job.
	Runner func(raw json.RawMessage, locks []cell.Lock) (explore.Runner, error)
	// Recorded returns the command's own run that a trace has, for replay. It is called for traces of experiments.
	Recorded func(t *traces.Trace, locks []cell.Lock) (*Recorded, error)
	// Attached runs a trace of foreign clients again ([traces.Attached]), for replay.
	Attached func(ctx context.Context, h Host, t *traces.Trace, again Again) error
	// Complete returns the candidates for the last word of a command line, which begins with the command's name: an argument,
	// the value of a flag, or after -p a parameter with "=".
	Complete func(words []string, locks []cell.Lock) []string
	// Argument describes the first argument, for the error of a command line without it.
	Argument func() string
}

// Recorded is a run to replay.
type Recorded struct {
	Job json.RawMessage
	// Trace is the trace of its result.
	Trace func(explore.Outcome) (*traces.Trace, error)
}

// Again is how a trace of foreign clients is to run again.
type Again struct {
	// Path is the file of the trace. Command is the program of a client process that the command line gives, with its arguments.
	Path    string
	Command []string
	// Out is the file for the new run, empty for none, and JSON is set if the result is to be printed as an object.
	Out  string
	JSON bool
}

// Host is the program simrun, for commands that were added to it.
type Host interface {
	// Program is the command that runs it, for printed commands.
	Program() string
	Out() io.Writer
	Err() io.Writer
	// Locks returns all of its locks, and Worker starts it as a worker process.
	Locks() []cell.Lock
	Worker() explore.Worker
	// Bold and Faint return the text with the terminal's codes, or unchanged if Out is no terminal.
	Bold(text string) string
	Faint(text string) string
	// Style is the style in which the program explains traces.
	Style() render.Style
	// Read reads the trace that a command line names, and returns its path. Its errors are of type [Usage].
	Read(ctx context.Context, name string) (t *traces.Trace, path string, err error)
	// Client returns the program of client processes that have the lock of a trace at a path: a test binary if only a test has
	// the lock. done is the participle for errors, such as "confirmed".
	Client(ctx context.Context, t *traces.Trace, path, done string) (Client, error)
	// Progress returns functions for a line of progress on a terminal: runs starts one, and clear removes it.
	Progress() (runs func(what string) func(done, total int), clear func())
	// Ask returns the search of a command line. Its errors are of type [Usage].
	Ask(a Asked) (Search, error)
	// Restore returns the search of an identity. Its errors, such as for another version of Lockpick, are of type [Usage];
	// other is the name of the identity's owner in them.
	Restore(identity json.RawMessage, other string) (Search, error)
}

// Client is the program of client processes that have the lock of a trace.
type Client struct {
	realclient.Program
	// Package is the package of the test that has the lock, and the directory of the program; empty if simrun has the lock.
	Package string
	// Close removes the built program.
	Close func()
}

// Asked are the command line's choices for a search by a strategy.
type Asked struct {
	Scenario, Lock string
	Parameters     []string // as name=value
	Runs           int
	Seed           uint64
	Strategy       string
}

// Search is a search by a strategy that has not begun.
type Search interface {
	// Identity returns everything that its result depends on. The same search has the same bytes.
	Identity() json.RawMessage
	// Differs describes how it differs from the search of another identity, which is called other; empty if they are the same.
	Differs(identity json.RawMessage, other string) (string, error)
	// Title returns its name in a few words.
	Title() string
	// Schedules is the number of its schedules, and Blocks that of its blocks.
	Schedules() int
	Blocks() int
	// Happenings returns the names of the happenings that must occur at least once.
	Happenings() []string
	// Range searches a range of its blocks, one after the other, in a worker process. each is called for every block. Findings
	// are neither confirmed nor shrunk: Conclude does that.
	Range(ctx context.Context, r explore.Range, each func(block int, t explore.Tally)) (Ran, error)
	// Conclude prints the result of all blocks, and writes traces and the state, as simrun run does after its search. An error
	// has the exit code. It returns the paths of the written files.
	Conclude(ctx context.Context, c Conclusion) (files []string, err error)
}

// Ran is the cost of searching a range.
type Ran struct {
	// Spent is the processor time of the runs.
	Spent time.Duration
	// Sampled is set if the sample before the first block ended the search, so that there is no block.
	Sampled bool
}

// Conclusion are the inputs of [Search.Conclude].
type Conclusion struct {
	// State has the blocks. If Sampled is set it has none: the sample ends the search on this machine as well.
	State   *explore.State
	Sampled bool
	// Missing is set if blocks of the search are missing.
	Missing bool
	// The flags of simrun run.
	Jobs         int
	Out          string
	NoShrink     bool
	JSON, Stable bool
	JUnit        string
	// Copy, if not nil, gets a copy of the output.
	Copy io.Writer
}

// Usage is a mistake of the user: the exit code is 2.
type Usage struct{ Err error }

// Error returns the text of the wrapped error.
func (u Usage) Error() string { return u.Err.Error() }

// Unwrap returns the wrapped error.
func (u Usage) Unwrap() error { return u.Err }

// Usagef returns a [Usage] with a text.
func Usagef(format string, args ...any) error { return Usage{fmt.Errorf(format, args...)} }

// Nondeterministic is an error that has the exit code of a search whose runs differ.
type Nondeterministic struct{ Err error }

// Error returns the text of the wrapped error.
func (n Nondeterministic) Error() string { return n.Err.Error() }

// Unwrap returns the wrapped error.
func (n Nondeterministic) Unwrap() error { return n.Err }
