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
	// Grammar is a pointer to a struct for kong. The Run methods of it, or of its commands, may have parameters of the types
	// context.Context and [Host].
	Grammar any
	// Runner returns what makes the runs of one of the command's own jobs in a worker process, or nil without an error if raw is no job of
	// the command.
	Runner func(raw json.RawMessage, locks []cell.Lock) (explore.Runner, error)
	// Recorded returns the command's own run that a trace has, for replay. It is called for traces of experiments.
	Recorded func(t *traces.Trace, locks []cell.Lock) (*Recorded, error)
	// Complete returns the candidates for the last word of a command line, which begins with the command's name: an argument, the value of
	// a flag, or after -p a parameter with "=".
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

// Host is the program simrun, for a command that was added to it.
type Host interface {
	// Program is the command that runs it, for commands that are shown.
	Program() string
	Out() io.Writer
	Err() io.Writer
	// Locks are all that it has, and Worker starts it as a worker process.
	Locks() []cell.Lock
	Worker() explore.Worker
	// Bold and Faint return the text with the terminal's codes, or as it is if Out is no terminal.
	Bold(text string) string
	Faint(text string) string
	// Style is how the program explains traces.
	Style() render.Style
	// Read reads the trace that a command line names, and returns its path. Its errors are of type [Usage].
	Read(ctx context.Context, name string) (t *traces.Trace, path string, err error)
	// Client returns the program of client processes that have the lock of a trace at a path, which is to be confirmed, say (done). Where
	// only a test has the lock, that is its test binary.
	Client(ctx context.Context, t *traces.Trace, path, done string) (Client, error)
	// Progress returns functions for a line of progress on a terminal: runs starts one, and clear removes it.
	Progress() (runs func(what string) func(done, total int), clear func())
	// Ask is the search of a command line. Its errors are of type [Usage].
	Ask(a Asked) (Search, error)
	// Restore is the search of an identity. Its errors, such as another version of Lockpick, are of type [Usage]; other is what
	// the identity is of, for them.
	Restore(identity json.RawMessage, other string) (Search, error)
}

// Client is the program of client processes that have the lock of a trace.
type Client struct {
	realclient.Program
	// Package is the package of the test that has the lock, in the directory of the program; empty if simrun has the lock.
	Package string
	// Close removes what was built.
	Close func()
}

// Asked is what names a search by a strategy on the command line.
type Asked struct {
	Scenario, Lock string
	Parameters     []string // as name=value
	Runs           int
	Seed           uint64
	Strategy       string
}

// Search is a search by a strategy, not begun.
type Search interface {
	// Identity is everything that its result depends on. The same search has the same bytes.
	Identity() json.RawMessage
	// Differs says how it differs from the search of another identity, which is called other; empty if they are the same.
	Differs(identity json.RawMessage, other string) (string, error)
	// Title names it in a few words.
	Title() string
	// Schedules is the number of its schedules, and Blocks that of its blocks.
	Schedules() int
	Blocks() int
	// Happenings names what must happen at least once.
	Happenings() []string
	// Range searches a range of its blocks, one after the other, in a worker process. Each is called for every block; findings
	// are neither confirmed nor shrunk: Conclude does that.
	Range(ctx context.Context, r explore.Range, each func(block int, t explore.Tally)) (Ran, error)
	// Conclude prints the result of all blocks, and writes traces and the state, as simrun run does after its search. An error
	// has the exit code. Files are the paths of what it wrote.
	Conclude(ctx context.Context, c Conclusion) (files []string, err error)
}

// Ran is what it took to search a range.
type Ran struct {
	// Spent is the processor time of the runs.
	Spent time.Duration
	// Sampled is set if the sample before the first block ended the search, so that there is no block.
	Sampled bool
}

// Conclusion is how a search is to be concluded.
type Conclusion struct {
	// State has the blocks. If Sampled is set it has none: the search ends by its sample on this machine as well.
	State   *explore.State
	Sampled bool
	// Missing is set if blocks are missing that were to be searched.
	Missing bool
	// These are the flags of simrun run.
	Jobs         int
	Out          string
	NoShrink     bool
	JSON, Stable bool
	JUnit        string
	// Copy, if not nil, gets what is printed as well.
	Copy io.Writer
}

// Usage is an error of who asked: the exit code is 2.
type Usage struct{ Err error }

// Error is that of the error itself.
func (u Usage) Error() string { return u.Err.Error() }

// Unwrap returns the error itself.
func (u Usage) Unwrap() error { return u.Err }

// Usagef returns a [Usage] with a text.
func Usagef(format string, args ...any) error { return Usage{fmt.Errorf(format, args...)} }

// Nondeterministic is an error that has the exit code of a search whose runs differ.
type Nondeterministic struct{ Err error }

// Error is that of the error itself.
func (n Nondeterministic) Error() string { return n.Err.Error() }

// Unwrap returns the error itself.
func (n Nondeterministic) Unwrap() error { return n.Err }
