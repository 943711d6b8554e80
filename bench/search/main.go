// Command search measures after how many schedules each strategy finds each known bug
// of the scenarios and each planted one, and writes a page of the results. It fails if the
// portfolio misses its required results.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "worker" {
		exit(explore.ServeStdio(scenarios.Registry(locks()).Resolve))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	exit(run(ctx, os.Args[1:]))
}

func exit(err error) {
	switch {
	case err == nil:
		os.Exit(0)
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	}
	fmt.Fprintln(os.Stderr, "search:", err)
	os.Exit(1)
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("search", flag.ContinueOnError)
	seeds := flags.Int("seeds", 100, "how many `seeds` there are for each strategy and bug")
	bugs := flags.String("bugs", "", "only bugs whose SCENARIO/LOCK contains one of these `words`; or SCENARIO/LOCK/PROPERTY[/name=value...]")
	names := flags.String("strategies", strings.Join(inOrder(), ","), "only these `strategies`")
	jobs := flags.Int("jobs", runtime.NumCPU(), "how many worker `processes`")
	bounds := flags.Bool("bounds", true, "find out the smallest bound of each bug, which takes most of the time")
	blocks := flags.Bool("blocks", false, "measure by blocks: a seed is a block, and a line for each bug has the schedules a find")
	out := flags.String("o", "", "write the page to this `file` (default: standard output)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case *seeds < 1 || *jobs < 1:
		return errors.New("seeds and jobs must be at least 1")
	}
	chosen, err := choose(*bugs)
	if err != nil {
		return err
	}
	b := &bench{jobs: *jobs, seeds: *seeds, strategies: strings.Split(*names, ","), bounds: *bounds, progress: progress}
	for _, s := range b.strategies {
		if !slices.Contains(explore.StrategyNames(), s) {
			return fmt.Errorf("there is no strategy %q; there are %s", s, strings.Join(explore.StrategyNames(), ", "))
		}
	}
	if b.worker, err = explore.Self("worker"); err != nil {
		return err
	}
	if *blocks && *out != "" {
		return errors.New("-blocks writes no page, and no file: leave out -o")
	}
	if *blocks {
		return b.blockRates(ctx, chosen, os.Stdout)
	}
	return b.all(ctx, chosen, *out, "cd bench && go run ./search "+strings.Join(args, " "))
}

// all measures and writes the page.
func (b *bench) all(ctx context.Context, chosen []place, out, command string) error {
	var measured []*bug
	for _, c := range chosen {
		list, err := b.measure(ctx, c)
		if err != nil {
			return err
		}
		measured = append(measured, list...)
	}
	b.progress("")
	page := report(measured, b.strategies, b.seeds, strings.TrimSpace(command))
	if out == "" {
		fmt.Print(page)
	} else if err := os.WriteFile(out, []byte(page), 0o666); err != nil {
		return err
	}
	if list := complaints(measured, b.strategies); len(list) > 0 {
		return errors.New("the portfolio is not good enough:\n" + strings.Join(list, "\n"))
	}
	return nil
}

// inOrder are all strategies, the control first and the portfolio last.
func inOrder() []string {
	list := slices.DeleteFunc(explore.StrategyNames(), func(s string) bool {
		return s == explore.RandomStrategy || s == explore.PortfolioStrategy
	})
	return append(append([]string{explore.RandomStrategy}, list...), explore.PortfolioStrategy)
}

// progress shows a line on a terminal.
func progress(line string) {
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		fmt.Fprintf(os.Stderr, "\r\033[K%s", line)
	}
}
