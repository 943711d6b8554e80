package simrun

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// defaultJobs is the default number of worker processes.
func defaultJobs() int { return min(runtime.NumCPU(), 256) }

// searchFlags are the common flags of the commands that search.
type searchFlags struct {
	Scenario string   `arg:"" help:"The scenario to search; see simrun list."`
	Lock     string   `default:"${lock}" aliases:"program" help:"The lock to search, or the program; see simrun list (default ${default})." placeholder:"LOCK"`
	Param    []string `short:"p" sep:"none" help:"Set a parameter of the scenario, as name=value; may be repeated. simrun list -v shows the defaults." placeholder:"NAME=VALUE"`
	FailFast bool     `name:"failfast" help:"Stop at the first schedule with a violation."`
	Shard    string   `help:"Search only the I-th of N parts, such as 2/3, so that N machines share the work; simrun merge joins the results. With auto the engine that runs the jobs assigns the part: an indexed Job of Kubernetes (with SIMRUN_SHARDS), a Slurm array, GitLab, Buildkite, CircleCI or AWS Batch." placeholder:"I/N"`
	Resume   resume   `help:"Continue an interrupted search: repeat its command with this flag. A run may have another --runs. With --resume=auto a search without a kept state begins anew."`
	ExitZero bool     `name:"exit-zero" help:"Exit with 0 whatever is found: for shards whose engine runs simrun merge only after success; merge then has the exit code. Wrong commands, interrupts and files that could not be written keep their codes."`
	huntFlags
	certificate string // the file for a check's certificate, "" for none
}

func (f *searchFlags) validate() error {
	shard, err := askedShard(f.Shard)
	f.Shard = shardName(shard)
	switch {
	case err != nil:
		return err
	case shard.Of > 1 && f.FailFast:
		return fmt.Errorf("--failfast ends a search at its first finding, but a shard does not know the findings of others: leave out --failfast or --shard")
	}
	return f.huntFlags.validate()
}

// search runs the search that the flags ask for.
func (f *searchFlags) search(ctx context.Context, a *app, id identity) error {
	cell, err := a.cell(f.Scenario, f.Lock, f.Param)
	if err != nil {
		return err
	}
	id.Scenario, id.Lock, id.Parameters = f.Scenario, f.Lock, cell.Parameters()
	id.FailFast, id.Versions = f.FailFast, a.versions()
	h := &session{app: a, huntFlags: f.huntFlags, id: id, cell: cell, exitZero: f.ExitZero, certificate: f.certificate}
	if h.shard, err = askedShard(f.Shard); err != nil {
		return usageError{err}
	}
	if f.Resume.wanted(h.statePath()) {
		h.known, err = resumed(h.statePath(), &id, h.shard)
		switch {
		case f.Resume == resumeIfKept && errors.Is(err, explore.ErrNotState): // a machine that was lost may leave half a file
			fmt.Fprintf(a.err, "simrun: %v; the search begins anew\n", err)
		case err != nil:
			return err
		}
	}
	return forgedIn(h.run(ctx), h.statePath())
}

// runCmd searches by a strategy.
type runCmd struct {
	Runs     int    `default:"${runs}" help:"How many schedules to run (default ${default})." placeholder:"N"`
	Seed     uint64 `default:"${seed}" help:"The seed of the search: the same seed, the same schedules (default ${default})." placeholder:"S"`
	Strategy string `default:"portfolio" enum:"${strategies}" help:"How to choose the schedules (default ${default}). ${strategy_help}" placeholder:"NAME"`
	searchFlags
}

// Validate checks what kong cannot.
func (c *runCmd) Validate() error {
	if c.Runs < 1 || c.Runs > 1_000_000_000 {
		return fmt.Errorf("--runs=%d: want at least 1, and no more than 1000000000", c.Runs)
	}
	if err := c.validate(); err != nil {
		return err
	}
	shard, _ := askedShard(c.Shard) // it has been validated
	switch blocks := explore.Blocks(c.Strategy, c.Runs); {
	case shard.Of <= blocks:
		return nil
	case c.Strategy == explore.BoundedStrategy:
		return fmt.Errorf("--shard=%s: a search by the strategy bounded cannot be split; simrun check can", c.Shard)
	default:
		return fmt.Errorf("--shard=%s: %s are only %s of %d, and a shard needs one: want fewer shards, or more --runs",
			c.Shard, schedules(c.Runs), wording.GroupedCount(blocks, "block"), explore.BlockSize)
	}
}

// Run searches.
func (c *runCmd) Run(ctx context.Context, a *app) error {
	return c.search(ctx, a, identity{Kind: runKind, Strategy: c.Strategy, Seed: c.Seed, Runs: c.Runs})
}

// strategyHelp describes the strategies.
func strategyHelp() string {
	var lines []string
	for _, name := range explore.StrategyNames() {
		lines = append(lines, name+": "+explore.DescribeStrategy(name))
	}
	return strings.Join(lines, "; ") + "."
}

// runProgress shows the progress of the search.
func (h *session) runProgress() func(*explore.Summary) {
	total := 0
	for b := range explore.Blocks(h.id.Strategy, h.id.Runs) {
		if h.shard.Has(b) {
			total += min(explore.BlockSize, h.id.Runs-b*explore.BlockSize)
		}
	}
	if h.id.Strategy == explore.BoundedStrategy {
		total = h.id.Runs
	}
	return func(s *explore.Summary) {
		pace := h.live.pace(s.Schedules, float64(total-s.Schedules))
		h.live.searched(wording.Grouped(s.Schedules)+" of "+schedules(total), pace, classesOf(&s.Tally)+", "+wording.GroupedCount(len(s.Violations), "finding"))
	}
}
