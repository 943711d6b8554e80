package recorded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/shards"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// Host is the process that runs a command, and where the command writes.
type Host struct {
	Output
	// Known has the locks and scenarios.
	Known cell.Registry
	// Cell returns the cell of a trace.
	Cell   func(*traces.Trace) (cell.Cell, error)
	Worker explore.Worker
	// Properties are the ids of the properties to judge, nil for the usual ones.
	Properties []string
	// Versions are the versions of the binary and its stores.
	Versions traces.Versions
}

// Output is where and how a command writes.
type Output struct {
	// Program is the command that runs simrun, for printed commands.
	Program string
	// Out is for text, and the writer that [wording.Data] finds below it for data; Err is for notes.
	Out, Err io.Writer
	Color    bool
	Width    int // of a line
	// Show shows progress until Clear.
	Show  func(format string, args ...any)
	Clear func()
}

func (h *Host) paint() wording.Paint { return wording.Paint{On: h.Color} }

// Style returns the style of explanations.
func (h *Host) Style(verbose bool) render.Style {
	return render.Style{Color: h.Color, Width: h.Width, Verbose: verbose}
}

// The exit codes of commands.
const (
	ExitViolation    = 1
	ExitUsage        = 2
	ExitInconclusive = 3
	ExitTrouble      = 4
	ExitInternal     = 5
	ExitInterrupted  = 130
)

// Exit is an error that sets the exit code. Its message has been printed.
type Exit int

// Error names the code.
func (e Exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// CodeOf returns the exit code for the result of a search, or a kind of trouble.
func CodeOf(result string) int {
	switch result {
	case explore.NoneFound, explore.Exhausted:
		return 0
	case explore.Violation:
		return ExitViolation
	case explore.Vacuous, string(explore.Inconclusive):
		return ExitInconclusive
	}
	return ExitTrouble
}

// Fail prints the error of a command and returns its exit code. The error is one of simrun's own command line if usage
// returns true.
func Fail(w io.Writer, err error, usage func(error) bool) int {
	var code Exit
	if errors.As(err, &code) {
		return int(code)
	}
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(w, "simrun: interrupted")
		return ExitInterrupted
	}
	fmt.Fprintf(w, "simrun: %v\n", err)
	var asked command.Usage
	var differ command.Nondeterministic
	var trouble *explore.Trouble
	switch {
	case ofDisk(err):
		return ExitInternal
	case errors.As(err, &asked), usage != nil && usage(err):
		return ExitUsage
	case errors.As(err, &differ):
		return ExitTrouble
	case !errors.As(err, &trouble):
		return ExitInternal
	}
	if trouble.Stack != "" {
		fmt.Fprintln(w, wording.Indent(trouble.Stack))
	}
	return CodeOf(string(trouble.Kind))
}

// ofDisk reports whether an error is due to a full or broken disk, or to the machine's limit on file sizes: no mistake of
// the command line. Such an error may be gone when the command is repeated.
func ofDisk(err error) bool {
	return slices.ContainsFunc([]error{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.ESTALE, syscall.EFBIG}, func(disk error) bool { return errors.Is(err, disk) })
}

// DefaultOut is the directory to which searches write their traces.
const DefaultOut = "simrun-out"

// Read reads a trace file. Its errors are of type [command.Usage].
func Read(path string) (*traces.Trace, error) {
	t, err := traces.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, command.Usagef("there is no file %s", path)
	case err != nil && shards.IsState(path):
		return nil, command.Usagef("%s is the state of a search, and no trace; the traces that it has found are beside it", path)
	case err != nil && isDirectory(path):
		list, _ := tracesIn(path) // unreadable files are not listed
		if len(list) == 0 {
			return nil, command.Usagef("%s is a directory, and a trace is wanted: there is none in it; simrun run writes traces to %s", path, DefaultOut)
		}
		return nil, command.Usagef("%s is a directory, and a trace is wanted: it has %s", path, wording.Some(list))
	case err != nil:
		return nil, command.Usagef("%w (simrun run writes traces to %s)", err, DefaultOut)
	}
	return t, nil
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// tracesIn returns the paths of a directory's traces.
func tracesIn(dir string) (list []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if name := e.Name(); !e.IsDir() && strings.HasSuffix(name, ".json") && !shards.IsState(name) {
			list = append(list, filepath.Join(dir, name))
		}
	}
	return list, err
}

// At returns the path of a trace, which may be the only one in a directory; empty for no path.
func At(path string) (string, error) {
	if !isDirectory(path) {
		return path, nil // reading it returns the error
	}
	found, err := tracesIn(path)
	if err != nil {
		return "", command.Usage{Err: err}
	}
	switch n := len(found); {
	case n == 0:
		return "", command.Usagef("the directory %s has no trace", path)
	case n > 1:
		const most = 8
		list := strings.Join(found[:min(n, most)], "\n  ")
		if n > most {
			list += "\n  ..."
		}
		return "", command.Usagef("the directory %s has %s: name one\n  %s", path, wording.GroupedCount(n, "trace"), list)
	}
	return found[0], nil
}

// SameFile reports whether both names are of one existing file.
func SameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	two, err := os.Stat(b)
	return err == nil && os.SameFile(one, two)
}

// cell returns the cell of a trace at a path. done is the participle for errors, such as "replayed".
func (h *Host) cell(t *traces.Trace, path, done string) (cell.Cell, error) {
	c, err := h.Cell(t)
	if err != nil {
		err = command.Usagef("%s cannot be %s here: %w", path, done, err)
	}
	return c, err
}

// run runs a tape in a worker.
func (h *Host) run(ctx context.Context, c cell.Cell, tape []sim.Choice, procs int) (*explore.Result, error) {
	return Run(ctx, h.Worker, c, tape, procs)
}

// Run runs a tape in a worker process with procs processors. A run that does not finish is an error of type
// *[explore.Trouble].
func Run(ctx context.Context, w explore.Worker, c cell.Cell, tape []sim.Choice, procs int) (*explore.Result, error) {
	w.Procs = procs
	result, err := w.Replay(ctx, c.Encode(), tape)
	switch {
	case err != nil:
		return nil, err
	case result.Trouble != nil:
		return nil, result.Trouble
	}
	return result, nil
}

// NewReducer returns a reducer that shows its progress.
func NewReducer(w explore.Worker, known cell.Registry, jobs int, show func(format string, args ...any)) hunt.Reducer {
	return hunt.Reducer{
		Worker: w, Jobs: jobs, Known: known, Effort: hunt.Usual,
		OnShrink: func(property string, before int, p explore.ShrinkProgress) {
			show("shrinking %s: %s of at most %s, %s -> %s", property, wording.Grouped(p.Runs), wording.GroupedCount(p.AtMost, "run"), wording.Grouped(before), wording.GroupedCount(p.Deviations, "deviation"))
		},
		OnNeeds: func(property string, runs, atMost int) {
			show("what %s needs, and remedies: %s of at most %s", property, wording.Grouped(runs), wording.GroupedCount(atMost, "run"))
		},
	}
}
