package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// runCmd searches at random.
type runCmd struct {
	Scenario string   `arg:"" help:"The scenario to search; see simrun list."`
	Lock     string   `default:"setpx" help:"The lock to put into it; see simrun list (default ${default})." placeholder:"LOCK"`
	Runs     int      `default:"2000" help:"How many schedules to run (default ${default})." placeholder:"N"`
	Seed     uint64   `default:"1" help:"The seed of the search: the same seed, the same schedules (default ${default})." placeholder:"S"`
	Param    []string `short:"p" sep:"none" help:"Set a parameter of the scenario, as name=value; may be repeated. simrun list shows the defaults." placeholder:"NAME=VALUE"`
	FailFast bool     `name:"failfast" help:"Stop at the first schedule that violates something."`
	Jobs     int      `default:"1" help:"How many worker processes to use; this version knows 1." placeholder:"J"`
	Out      string   `default:"simrun-out" help:"The directory for traces, one of each violated property (default ${default})." placeholder:"DIR"`
	JSON     bool     `name:"json" help:"Print one JSON object a line: findings, then a summary."`
	Stable   bool     `help:"Leave out what differs from run to run: how long it took."`
}

// Validate checks what kong cannot.
func (c *runCmd) Validate() error {
	if c.Runs < 1 || c.Runs > 1_000_000_000 {
		return fmt.Errorf("--runs=%d: want at least 1, and no more than 1000000000", c.Runs)
	}
	if c.Jobs != 1 {
		return fmt.Errorf("--jobs=%d: this version runs one worker process; use --jobs=1", c.Jobs)
	}
	return nil
}

// Run searches, prints what it finds and exits with what the result says.
func (c *runCmd) Run(ctx context.Context, a *app) error {
	cell, err := a.cell(c.Scenario, c.Lock, c.Param)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.Out, 0o777); err != nil {
		return usageError{fmt.Errorf("the directory for traces cannot be made: %w", err)}
	}
	p := c.printer(a, cell)
	p.begin()
	var writeErr error
	start := time.Now()
	search := explore.Search{
		Worker: a.worker, Cell: cell.Encode(), Seed: c.Seed, Schedules: c.Runs, FailFast: c.FailFast,
		Happenings: len(cell.Scenario.Happenings),
		OnProgress: p.progress,
		OnFinding: func(f explore.Finding) {
			t := cell.Trace(c.Seed, f.Schedule, f.Property, f.Outcome)
			path := filepath.Join(c.Out, strings.Join([]string{cell.Scenario.ID, cell.Lock.ID, f.Property}, "_")+".json")
			if err := traces.WriteFile(path, t); err != nil {
				writeErr = errors.Join(writeErr, fmt.Errorf("a trace cannot be written: %w", err))
				path = ""
			}
			p.finding(t, path)
		},
	}
	sum, err := search.Run(ctx)
	if err != nil && !sum.Interrupted {
		return err
	}
	p.end(sum, time.Since(start))
	if writeErr != nil {
		fmt.Fprintf(a.err, "simrun: %v\n", writeErr)
	}
	switch code := codeOf(sum.Result()); {
	case sum.Interrupted:
		return exitCode(exitInterrupted)
	case code != exitNone:
		return exitCode(code)
	}
	return nil
}

// again is the command that repeats the search.
func (c *runCmd) again(a *app, cell scenarios.Cell) string {
	words := []string{a.name, "run", cell.Scenario.ID, "--lock", cell.Lock.ID, "--seed", fmt.Sprint(c.Seed), "--runs", fmt.Sprint(c.Runs)}
	for _, p := range c.Param {
		words = append(words, "--param", shellWord(p))
	}
	if c.FailFast {
		words = append(words, "--failfast")
	}
	return strings.Join(words, " ")
}

func (c *runCmd) printer(a *app, cell scenarios.Cell) printer {
	if c.JSON {
		return &jsonPrinter{command: c, again: c.again(a, cell), out: json.NewEncoder(a.out), cell: cell}
	}
	return &textPrinter{app: a, command: c, paint: painter(a.out), cell: cell, live: terminal(a.err)}
}

// printer shows a search.
type printer interface {
	begin()
	progress(*explore.Summary)
	finding(t *traces.Trace, path string)
	end(s *explore.Summary, elapsed time.Duration)
}
