package simrun

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/matrix"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

// matrixCmd searches every lock under every scenario and compares the findings with the
// expectations.
type matrixCmd struct {
	Lock     []string `aliases:"program" help:"A lock, or a program, to search (default: all); may be repeated." placeholder:"LOCK"`
	Scenario []string `help:"A scenario to search (default: all); may be repeated." placeholder:"SCENARIO"`
	Store    []string `help:"Search only the locks of this store; may be repeated." placeholder:"STORE"`
	Topology string   `help:"How the servers are deployed: a value of the parameter topology; searches only the locks of stores that have it (default: as usual)." placeholder:"T"`
	Shard    string   `help:"Search only the I-th of N parts of the cells, such as 2/3, so that N machines share the work; simrun report joins the results that they keep with --out. With auto the engine that runs the jobs assigns the part, as for run." placeholder:"I/N"`
	Runs     int      `default:"256" help:"How many schedules to run of each cell (default ${default}); up to ${patience} times as many if an expected violation is still missing." placeholder:"N"`
	Seed     uint64   `default:"1" help:"The seed of the searches: the same seed, the same schedules (default ${default})." placeholder:"S"`
	Jobs     int      `default:"${cpus}" help:"How many cells to search at a time, 1 to 256 (default: one for each core, ${cpus} here). Findings do not depend on it." placeholder:"J"`
	Page     string   `short:"o" help:"Write the matrix to this self-contained, offline HTML file; each cell opens its findings." placeholder:"FILE"`
	Out      string   `help:"Keep the counterexamples in this directory: traces, and with -o pages that the matrix links to." placeholder:"DIR"`
	Expected bool     `help:"Print the expectations as a Markdown table, and search nothing."`
	JUnit    string   `name:"junit" help:"Write the result as JUnit XML to this file: a test case for each cell." placeholder:"FILE"`
	JSON     bool     `name:"json" help:"Print one JSON object per line: cells, differences from the expectations, then a summary."`
	Stable   bool     `help:"Leave out elapsed times, which differ from run to run."`
}

// Validate checks what kong cannot.
func (c *matrixCmd) Validate() error {
	switch {
	case c.Runs < 1 || c.Runs > 1_000_000:
		return fmt.Errorf("--runs=%d: want 1 to 1000000", c.Runs)
	case c.Jobs < 1 || c.Jobs > 256:
		return fmt.Errorf("--jobs=%d: want 1 to 256", c.Jobs)
	}
	shard, err := askedShard(c.Shard)
	c.Shard = shardName(shard)
	return err
}

// Run searches the cells, and prints the table and its problems.
func (c *matrixCmd) Run(ctx context.Context, a *app) error {
	m, err := c.report(a)
	if err != nil {
		return usageError{err}
	}
	if c.Expected {
		m.markdown(wording.Data(a.out))
		return nil
	}
	if err := c.places(); err != nil {
		return usageError{err}
	}
	start := time.Now()
	if err := m.search(ctx); err != nil {
		return err
	}
	m.elapsed = time.Since(start)
	if c.Page != "" {
		if err := traces.Replace(c.Page, m.page); err != nil {
			return usageError{fmt.Errorf("the page cannot be written: %w", err)}
		}
	}
	if err := m.keepCells(); err != nil {
		return usageError{err}
	}
	if c.JSON {
		m.json(wording.Data(a.out))
	} else {
		m.text()
	}
	notWritten := writeJUnit(c.JUnit, m.suite(start))
	if err := errors.Join(notWritten, m.announce()); err != nil {
		fmt.Fprintf(a.err, "simrun: %v\n", err)
	}
	switch code := m.code(); {
	case code != exitNone:
		return exitCode(code)
	case notWritten != nil:
		return exitCode(exitInternal)
	}
	return nil
}

// places creates the output directory before the search, and refuses files that cannot be
// written, so that errors show early.
func (c *matrixCmd) places() error {
	if err := os.MkdirAll(filepath.Clean(c.Out), 0o777); err != nil {
		return fmt.Errorf("the directory %s cannot be created: %w", c.Out, err)
	}
	if err := command.Writable(c.Page, c.JUnit); err != nil {
		return err
	}
	if err := command.IsPage("-o", c.Page); err != nil {
		return err
	}
	return clearJUnit(c.JUnit)
}

// matrixReport prints a matrix.
type matrixReport struct {
	*app
	matrixCmd
	*matrix.Matrix
	elapsed time.Duration
}

// report returns the requested matrix.
func (c *matrixCmd) report(a *app) (*matrixReport, error) {
	o := matrix.Options{
		Known: a.registry(), Families: a.families, Locks: c.Lock, Scenarios: c.Scenario, Stores: c.Store, Topology: c.Topology, Worker: a.worker,
		Runs: c.Runs, Seed: c.Seed, Jobs: c.Jobs, Program: a.name,
	}
	o.Shard, _ = askedShard(c.Shard) // it has been validated
	m := &matrixReport{app: a, matrixCmd: *c}
	if c.Page != "" || c.Out != "" {
		o.Reduce = m.reduce // only if its result is shown
	}
	if c.Out != "" {
		o.Keep = m.keep
	}
	var err error
	m.Matrix, err = matrix.New(o)
	return m, err
}

// search searches the cells, and shows its progress.
func (m *matrixReport) search(ctx context.Context) error {
	line, unlike := newLive(m.err), 0
	defer line.clear()
	m.OnSearched = func(c *matrix.Cell, n, of int) {
		if len(c.Problems()) > 0 {
			unlike++
		}
		line.show("%s of %s%s, %s not as expected, last %s under %s", wording.Grouped(n), wording.GroupedCount(of, "cell"), line.left(n, of), wording.Grouped(unlike), c.Lock.ID, c.Scenario.ID)
	}
	return m.Search(ctx)
}

// code returns the exit code: differences from the expectations come before cells that could not be decided.
func (m *matrixReport) code() int {
	switch m.Result() {
	case matrix.AsExpected:
		return exitNone
	case matrix.NotAsExpected:
		return exitViolation
	case matrix.Interrupted:
		return exitInterrupted
	}
	code := exitNone
	if m.Totals().Cells == 0 {
		code = exitInconclusive
	}
	for _, c := range m.Cells() {
		for _, p := range c.Problems() {
			code = max(code, recorded.CodeOf(p.Kind)) // trouble is worse than an inconclusive result
		}
	}
	return code
}
