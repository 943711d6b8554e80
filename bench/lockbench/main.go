package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/lockpick-dev/lockpick/bench/lockbench/arms"
	"github.com/lockpick-dev/lockpick/bench/lockbench/bugs"
	"github.com/lockpick-dev/lockpick/bench/lockbench/internal/bench"
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
)

func main() {
	did, err := trial.Main(os.Args[1:], bugs.All(), arms.All())
	if !did && err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		err = run(ctx, os.Args[1:])
		stop()
	}
	switch {
	case errors.Is(err, flag.ErrHelp): // it has been asked for, and printed
	case err != nil:
		fmt.Fprintln(os.Stderr, "lockbench:", err)
		os.Exit(1)
	}
}

// run carries out a command.
func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("want a command: run, page, list or try")
	}
	if slices.Contains([]string{"-h", "-help", "--help", "help"}, args[0]) {
		fmt.Println("Usage: lockbench run|page|list|try [flags]; lockbench run -h has the flags of a command")
		return nil
	}
	for _, b := range bugs.All() {
		if err := b.Check(); err != nil {
			return err
		}
	}
	switch args[0] {
	case "run":
		return measure(ctx, args[1:])
	case "page":
		return page(args[1:])
	case "list":
		for _, b := range bugs.All() {
			fmt.Printf("%-26s %-20s %s\n", b.ID, b.Property, b.About)
		}
		for _, a := range arms.All() {
			fmt.Printf("%s  %s: %s\n", a.ID(), a.Name(), a.About())
		}
		return nil
	}
	return fmt.Errorf("there is no command %q: want run, page, list or try", args[0])
}

// measure makes the tries of a plan.
func measure(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	quick := flags.Bool("quick", false, "a part of it, in ten minutes")
	out := flags.String("o", "results.json", "the `file` of the results; tries that it has are not made again")
	only := flags.String("bugs", "", "only bugs whose names have one of these `words`, separated by commas")
	letters := flags.String("arms", "", "only these `letters`, such as AE")
	side := flags.Int("side", 0, "how many tries of A, B and C run side by side")
	early := flags.Int("early", 0, "after how many tries that found nothing an arm leaves a bug")
	if err := parse(flags, args); err != nil {
		return err
	}
	plan := bench.Full(bugs.All(), arms.All())
	if *quick {
		plan = bench.Quick(bugs.All(), arms.All())
	}
	if *early < 0 || *side < 0 {
		return errors.New("-early and -side are numbers from 1, or 0 for what the plan has")
	}
	plan.Early, plan.Side = cmp.Or(*early, plan.Early), cmp.Or(*side, plan.Side)
	part, err := plan.Only(*only, *letters)
	if err != nil {
		return err
	}
	dir, err := directory()
	if err != nil {
		return err
	}
	results, err := bench.Open(*out, plan)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, part)
	n := bench.Runner{Bugs: bugs.All(), Arms: arms.All(), Dir: dir, Bin: filepath.Join(dir, "../../bin/lockbench"), Log: os.Stderr}
	return n.Run(ctx, results, part)
}

// parse reads the flags of a command that has no arguments.
func parse(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%s has flags alone, got %q", flags.Name(), flags.Arg(0))
	}
	return nil
}

// page writes the page.
func page(args []string) error {
	flags := flag.NewFlagSet("page", flag.ContinueOnError)
	in := flags.String("i", "results.json", "the `file` of the results")
	out := flags.String("o", "../../docs/lockbench.md", "the page")
	if err := parse(flags, args); err != nil {
		return err
	}
	results, err := bench.Read(*in)
	if err != nil {
		return err
	}
	dir, err := directory()
	if err != nil {
		return err
	}
	return bench.Page{Results: results, Bugs: bugs.All(), Arms: arms.All(), Root: filepath.Join(dir, "../..")}.Write(*out)
}

// directory returns the directory of lockbench, which must be the working directory: programs of bugs are built below it.
func directory() (string, error) {
	dir, err := os.Getwd()
	if err == nil {
		_, err = os.Stat(filepath.Join(dir, "bugs"))
	}
	if err != nil {
		return "", fmt.Errorf("run it in bench/lockbench: %w", err)
	}
	return dir, nil
}
