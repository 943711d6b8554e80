package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/lockpick-dev/lockpick/internal/expect"
	"github.com/lockpick-dev/lockpick/internal/matrix"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/scenarios"
	redislocks "github.com/lockpick-dev/lockpick/scenarios/redis/builtin"
	zookeeperlocks "github.com/lockpick-dev/lockpick/scenarios/zookeeper/builtin"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	worker, err := explore.Self("worker")
	a := &app{name: invoked(os.Args[0]), in: os.Stdin, out: os.Stdout, err: os.Stderr, locks: locks(), families: families(), worker: worker}
	if err != nil {
		fmt.Fprintln(os.Stderr, "simrun:", err)
		os.Exit(exitInternal)
	}
	os.Exit(a.main(ctx, os.Args[1:]))
}

// locks are the built-in locks of all stores, and families what is expected of them.
func locks() []scenarios.Lock { return append(redislocks.Locks(), zookeeperlocks.Locks()...) }

func families() []expect.Family {
	return append(redislocks.Families(), zookeeperlocks.Families()...)
}

// sticky remembers the first error of a writer, so that a failed write is
// reported.
type sticky struct {
	io.Writer
	err error
}

func (s *sticky) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	if s.err == nil {
		s.err = err
	}
	return n, err
}

// Unwrap returns the underlying writer.
func (s *sticky) Unwrap() io.Writer { return s.Writer }

// invoked is how the program was called, for the commands that it prints.
func invoked(arg0 string) string {
	switch {
	case strings.Contains(filepath.ToSlash(arg0), "/go-build"):
		return "go run github.com/lockpick-dev/lockpick/cmd/simrun"
	case arg0 == "":
		return "simrun"
	}
	return wording.Shell(arg0)
}

// app is the program with all of its dependencies, so that tests can run
// it with other locks, in memory.
type app struct {
	name     string // the command that runs it
	in       io.Reader
	out, err io.Writer
	locks    []scenarios.Lock
	families []expect.Family // what is expected of locks
	worker   explore.Worker
	maxTrace int // the longest trace in bytes; 0 for traces.MaxSize
}

// Exit codes.
const (
	exitNone         = 0
	exitViolation    = 1
	exitUsage        = 2
	exitInconclusive = 3
	exitTrouble      = 4
	exitInternal     = 5
	exitInterrupted  = 130
)

// cli is the command line.
type cli struct {
	List       listCmd       `cmd:"" help:"List scenarios, locks and properties."`
	Run        runCmd        `cmd:"" help:"Search a scenario for violations by a lock."`
	Check      checkCmd      `cmd:"" help:"Search a scenario exhaustively, within a bound."`
	Matrix     matrixCmd     `cmd:"" help:"Search every lock under every scenario, and compare the findings with what is expected."`
	Merge      mergeCmd      `cmd:"" help:"Join the results of a search's shards into those of one machine."`
	Replay     replayCmd     `cmd:"" help:"Replay a recorded counterexample, and check that the run is identical."`
	Shrink     shrinkCmd     `cmd:"" help:"Shrink a recorded counterexample, and determine what it needs."`
	Judge      judgeCmd      `cmd:"" help:"Judge a history that was recorded elsewhere: in production, or by Jepsen."`
	Explain    explainCmd    `cmd:"" help:"Explain a recorded counterexample as text."`
	View       viewCmd       `cmd:"" help:"Show a recorded counterexample in a browser: one self-contained, offline HTML file."`
	Doctor     doctorCmd     `cmd:"" help:"Check that runs are deterministic on this machine: each runs twice, in two processes."`
	Completion completionCmd `cmd:"" help:"Print a completion script for your shell."`
	Version    versionCmd    `cmd:"" help:"Print the versions that byte-identical replays depend on."`

	ShowVersion kong.VersionFlag `name:"version" help:"Print the versions and exit."`

	Complete completeCmd `cmd:"" hidden:""`
	Worker   workerCmd   `cmd:"" hidden:""`
}

const description = `Find bugs in distributed locks by deterministic simulation.

Real lock code over an unmodified go-redis client runs against a simulated
clock, network and Redis. Every run is a pure function of its seed, so every
finding can be replayed.

    simrun list                  list scenarios, locks and properties
    simrun run failover-loss     search, and explain the findings

Exit codes: 0 none found or exhausted, 1 violation, 2 usage or unreadable input,
3 inconclusive or vacuous, 4 diverged, nondeterministic, stalled or crashed,
5 internal error, 130 interrupted.`

// usageError is an error in the command line or in a file.
type usageError struct{ error }

// main runs one command and returns the exit code.
func (a *app) main(ctx context.Context, args []string) int {
	out := &sticky{Writer: a.out}
	a.out = out
	code := a.run(ctx, args)
	if out.err != nil && !errors.Is(out.err, syscall.EPIPE) {
		fmt.Fprintf(a.err, "simrun: the output could not be written: %v\n", out.err)
		return exitInternal
	}
	return code
}

func (a *app) run(ctx context.Context, args []string) int {
	parser, err := newParser(ctx, a, &cli{})
	if err != nil {
		return a.fail(err)
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	code, exited := 0, false
	parser.Exit = func(c int) { code, exited = c, true }
	k, err := parser.Parse(args)
	if exited {
		return code // --help
	}
	if err != nil {
		return a.fail(usageError{err})
	}
	if err := k.Run(a); err != nil {
		return a.fail(err)
	}
	return exitNone
}

func newParser(ctx context.Context, a *app, c *cli) (*kong.Kong, error) {
	return kong.New(c, append(values(),
		kong.Name("simrun"),
		kong.Description(description),
		kong.Vars{
			"patience": strconv.Itoa(matrix.Patience),
			"version":  a.versions().String(), "cpus": strconv.Itoa(defaultJobs()), "limit": strconv.Itoa(defaultLimit), "seed": strconv.Itoa(defaultSeed),
			"strategies": strings.Join(explore.StrategyNames(), ","), "strategy_help": strategyHelp(),
		},
		judgeVars(),
		kong.Writers(a.out, a.err),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.BindTo(ctx, (*context.Context)(nil)),
	)...)
}

// exitCode is an error that sets the exit code; its message has already been
// printed.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// fail prints the error and returns its exit code.
func (a *app) fail(err error) int {
	var code exitCode
	if errors.As(err, &code) {
		return int(code)
	}
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(a.err, "simrun: interrupted")
		return exitInterrupted
	}
	fmt.Fprintf(a.err, "simrun: %v\n", err)
	var usage usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	var trouble *explore.Trouble
	if !errors.As(err, &trouble) {
		return exitInternal
	}
	if trouble.Stack != "" {
		fmt.Fprintln(a.err, wording.Indent(trouble.Stack))
	}
	return codeOf(string(trouble.Kind))
}

// codeOf is the exit code for the result of a search.
func codeOf(result string) int {
	switch result {
	case explore.NoneFound, explore.Exhausted:
		return exitNone
	case explore.Violation:
		return exitViolation
	case explore.Vacuous, string(explore.Inconclusive):
		return exitInconclusive
	}
	return exitTrouble
}
