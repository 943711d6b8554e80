package simrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/ci"
	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/matrix"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// An Option configures the program.
type Option func(*app)

// Locks adds locks. Each needs an ID of its own. The default of --lock is the lock setpx, or the first one if there is
// none.
func Locks(list ...cell.Lock) Option {
	return func(a *app) { a.locks = append(a.locks, list...) }
}

// Programs adds programs, which are searched like locks. Each needs an ID of its own, and so does a variant that can be
// searched by itself.
func Programs(list ...cell.Program) Option {
	return func(a *app) {
		for _, p := range list {
			locks, err := p.Locks()
			if err != nil {
				a.unusable = append(a.unusable, fmt.Errorf("program %s: %w", p.ID, err))
			}
			a.locks = append(a.locks, locks...)
		}
	}
}

// Scenarios adds scenarios to those of Lockpick. They are searched, listed, replayed and shrunk like these, and have a
// column in the matrix. The budget of a scenario may have faults of its own, whose parameters work in all scenarios. The
// ids of built-in scenarios and the names of built-in faults and parameters are refused.
func Scenarios(list ...*cell.Scenario) Option {
	return func(a *app) { a.scenarios = append(a.scenarios, list...) }
}

// Families adds expectations of locks, for the command matrix. Locks without any must have no faults there.
func Families(list ...expect.Family) Option {
	return func(a *app) { a.families = append(a.families, list...) }
}

// Properties adds properties to the checker's own. They are judged in every run, and listed, explained and drawn like the
// others, with their letters in the matrix. The ids and letters of built-in properties are refused.
func Properties(list ...checker.Property) Option {
	return func(a *app) { a.properties = append(a.properties, list...) }
}

// Elsewhere adds notes on how to get a program that has more, by the name of a store or of a command. A note is shown when
// a user asks for that store or command, or for a lock whose ID is the name of the store, or begins with it and a hyphen.
func Elsewhere(how map[string]string) Option {
	return func(a *app) { a.elsewhere = how }
}

// Commands adds commands of other modules, such as Lockpick's own module fleet.
func Commands(list ...command.Command) Option {
	return func(a *app) { a.commands = append(a.commands, list...) }
}

// Main runs the program with the given locks on the arguments of the command line, and exits. Call it once, first thing in
// main: searches start the program again as their workers, with hidden arguments, and a worker needs the same locks,
// scenarios and properties.
func Main(options ...Option) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	worker, err := explore.Self("worker")
	a := &app{name: invoked(os.Args[0], "."), in: os.Stdin, out: os.Stdout, err: os.Stderr, worker: worker, github: ci.FromEnvironment()}
	for _, o := range options {
		o(a)
	}
	if err = errors.Join(err, a.usable(), a.checkAdded()); err != nil {
		fmt.Fprintln(os.Stderr, "simrun:", err)
		os.Exit(exitInternal)
	}
	a.expectNoFaults()
	os.Exit(a.main(ctx, os.Args[1:]))
}

// expectNoFaults adds expectations for the locks that have none.
func (a *app) expectNoFaults() {
	rest := expect.Family{Title: "Without expectations"}
	for _, l := range a.locks {
		if _, err := expect.Expected(a.families, l.ID); err != nil {
			rest.Expectations = append(rest.Expectations, expect.NoFaults(l.ID, a.registry()))
		}
	}
	if len(rest.Expectations) > 0 {
		a.families = append(a.families, rest)
	}
}

// usable returns an error if a lock, scenario or property that the program was given is invalid.
func (a *app) usable() error {
	wrong := slices.Clone(a.unusable)
	if len(a.locks)+len(wrong) == 0 {
		wrong = append(wrong, errors.New("simrun.Main has no locks and no programs; name some by simrun.Locks or simrun.Programs"))
	}
	if err := checker.Validate(a.properties); err != nil {
		wrong = append(wrong, err)
	}
	known := map[string]bool{}
	for _, l := range a.locks {
		if err := l.Check(); err != nil {
			wrong = append(wrong, err)
		} else if !sim.IsName(l.ID, sim.MaxName) {
			wrong = append(wrong, fmt.Errorf("the ID %q of a lock is no name: want up to %d letters, digits, dots, hyphens and underscores", l.ID, sim.MaxName))
		} else if known[l.ID] {
			wrong = append(wrong, fmt.Errorf("there are two locks with the ID %q", l.ID))
		}
		known[l.ID] = true
	}
	if len(wrong) > 0 {
		return errors.Join(wrong...)
	}
	return scenarios.Validate(a.scenarios, cell.Stores(a.locks)...)
}

// defaultLock returns the lock that is searched if none is named.
func (a *app) defaultLock() string {
	const usual = "setpx"
	if slices.ContainsFunc(a.locks, func(l cell.Lock) bool { return l.ID == usual }) || len(a.locks) == 0 {
		return usual
	}
	return a.locks[0].ID
}

// sticky remembers the first error of a writer, so that a failed write is reported.
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
	Diff       diffCmd       `cmd:"" help:"Compare two recorded runs, or a counterexample with its nearest passing run."`
	View       viewCmd       `cmd:"" help:"Show a recorded counterexample in a browser (one offline HTML file), or write it for another program."`
	Report     reportCmd     `cmd:"" help:"Write a page of the searches in a directory and their findings."`
	Doctor     doctorCmd     `cmd:"" help:"Check that runs are deterministic on this machine: each runs twice, in two processes."`
	Overlay    overlayCmd    `cmd:"" help:"Print the file for go test -overlay=FILE, which makes the Go runtime's choices exact and has the order of goroutines searched."`
	Completion completionCmd `cmd:"" help:"Print a completion script for your shell."`
	Version    versionCmd    `cmd:"" help:"Print what it was built from: versions, commit, stores."`
	Help       helpCmd       `cmd:"" help:"Describe a command and its flags."`

	ShowVersion kong.VersionFlag `name:"version" help:"Print the versions and exit."`

	Complete completeCmd `cmd:"" hidden:""`
	Worker   workerCmd   `cmd:"" hidden:""`
	Client   clientCmd   `cmd:"" hidden:""`
}

const description = `Find bugs in distributed locks by deterministic simulation.

Real lock code over unmodified client libraries runs against a simulated clock,
network and stores. Every run is a pure function of its seed, so every finding
can be replayed.

    simrun list                  list scenarios, locks and properties
    simrun run failover-loss     search, and explain the findings

Exit codes: 0 none found or exhausted, 1 violation, 2 usage or unreadable input,
3 inconclusive or vacuous, 4 diverged, nondeterministic, stalled, crashed or
refused, 5 internal error, 130 interrupted.`

// main runs one command and returns the exit code.
func (a *app) main(ctx context.Context, args []string) int {
	out := &sticky{Writer: a.out}
	text, remarks := wording.NewTerminal(out, painter(a.out).On), wording.NewTerminal(a.err, false)
	a.out, a.err = text, remarks
	code := a.run(ctx, args)
	_, _ = text.Flush(), remarks.Flush() // out has the error
	if out.err != nil && !errors.Is(out.err, syscall.EPIPE) {
		fmt.Fprintf(a.err, "simrun: the output could not be written: %v\n", out.err)
		return exitInternal
	}
	return code
}

func (a *app) run(ctx context.Context, args []string) int {
	if a.worker.Kept == nil {
		a.worker.Kept = &explore.Kept{}
		defer a.worker.Kept.Close()
	}
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
	if err == nil {
		err = repeated(k)
	}
	if err != nil {
		return a.fail(usageError{a.hint(parser.Model.Node, args, err)})
	}
	if err := k.Run(a); err != nil {
		return a.fail(err)
	}
	return exitNone
}

func newParser(ctx context.Context, a *app, c *cli) (*kong.Kong, error) {
	options := append(values(), kong.BindTo(host{a}, (*command.Host)(nil)))
	for _, added := range a.commands {
		options = append(options, kong.DynamicCommand(added.Name, added.Help, "", added.Grammar))
	}
	return kong.New(c, append(options,
		kong.Name("simrun"),
		kong.Description(description),
		kong.Vars{
			"lock": a.defaultLock(), "patience": strconv.Itoa(matrix.Patience),
			"version": a.versions().String(), "cpus": strconv.Itoa(defaultJobs()), "limit": strconv.Itoa(hunt.DefaultLimit), "seed": strconv.Itoa(hunt.DefaultSeed), "runs": strconv.Itoa(hunt.DefaultSchedules),
			"formats":    formatHelp(),
			"strategies": strings.Join(explore.StrategyNames(), ","), "strategy_help": strategyHelp(),
		},
		judgeVars(),
		kong.Writers(screen(a.out), a.err),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.BindTo(ctx, (*context.Context)(nil)),
	)...)
}

// fail prints the error and returns its exit code.
func (a *app) fail(err error) int {
	code := recorded.Fail(a.err, err, func(err error) bool {
		var usage usageError
		return errors.As(err, &usage)
	})
	a.sayElsewhere(err)
	return code
}

// sayElsewhere prints how to get a program with the requested lock or store, if that is known.
func (a *app) sayElsewhere(err error) {
	var unknown *cell.UnknownError
	if !errors.As(err, &unknown) {
		return
	}
	store, _, _ := strings.Cut(unknown.ID, "-")
	if how, known := a.elsewhere[store]; known {
		fmt.Fprintf(a.err, "simrun: %s\n", how)
	}
}
