package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/traces"
)

// matrixCmd searches every lock under every scenario and compares what is found
// with what is expected.
type matrixCmd struct {
	Lock     []string `help:"A lock to put into the scenarios, for all; may be repeated." placeholder:"LOCK"`
	Scenario []string `help:"A scenario to put the locks into, for all; may be repeated." placeholder:"SCENARIO"`
	Runs     int      `default:"256" help:"How many schedules to run of each cell (default ${default}); up to ${patience} times as many where something expected is still missing." placeholder:"N"`
	Seed     uint64   `default:"1" help:"The seed of the searches: the same seed, the same schedules (default ${default})." placeholder:"S"`
	Jobs     int      `default:"${cpus}" help:"How many cells to search at a time, 1 to 256 (default: one for each core, ${cpus} here). What is found does not depend on it." placeholder:"J"`
	Page     string   `short:"o" help:"Write a page, one self-contained offline HTML file, in which each cell opens what was found there." placeholder:"FILE"`
	Out      string   `help:"Keep the counterexamples in this directory: traces, and with -o pages, to which that page leads." placeholder:"DIR"`
	Expected bool     `help:"Print what is expected, as a table in Markdown, and search nothing."`
	JSON     bool     `name:"json" help:"Print one JSON object a line: cells, what is not as expected, then a summary."`
	Stable   bool     `help:"Leave out what differs from run to run: how long it took."`
}

// patience is how many times the budget of a cell is spent where something
// expected is still missing.
const patience = 8

// Validate checks what kong cannot.
func (c *matrixCmd) Validate() error {
	switch {
	case c.Runs < 1 || c.Runs > 1_000_000:
		return fmt.Errorf("--runs=%d: want 1 to 1000000", c.Runs)
	case c.Jobs < 1 || c.Jobs > 256:
		return fmt.Errorf("--jobs=%d: want 1 to 256", c.Jobs)
	}
	return nil
}

// Run searches the cells, prints the table and says what is not as expected.
func (c *matrixCmd) Run(ctx context.Context, a *app) error {
	m, err := c.matrix(a)
	if err != nil {
		return usageError{err}
	}
	if c.Expected {
		m.markdown(a.out)
		return nil
	}
	if err := c.places(); err != nil {
		return usageError{err}
	}
	start := time.Now()
	if err := m.search(ctx); err != nil {
		return err
	}
	m.interrupted, m.elapsed = ctx.Err() != nil, time.Since(start)
	if c.Page != "" {
		if err := traces.Replace(c.Page, m.page); err != nil {
			return usageError{fmt.Errorf("the page cannot be written: %w", err)}
		}
	}
	if c.JSON {
		m.json()
	} else {
		m.text()
	}
	if code := m.code(); code != exitNone {
		return exitCode(code)
	}
	return nil
}

// places makes the directories for what is written at the end: that it cannot be
// is better known before.
func (c *matrixCmd) places() error {
	for _, dir := range []string{c.Out, filepath.Dir(c.Page)} {
		if err := os.MkdirAll(filepath.Clean(dir), 0o777); err != nil {
			return fmt.Errorf("the directory %s cannot be made: %w", dir, err)
		}
	}
	if info, err := os.Stat(c.Page); err == nil && info.IsDir() {
		return fmt.Errorf("-o %s is a directory: name the file of the page", c.Page)
	}
	return nil
}

// matrix is locks under scenarios.
type matrix struct {
	*app
	matrixCmd
	scenarios   []*scenarios.Scenario
	families    []matrixFamily
	interrupted bool
	elapsed     time.Duration
}

type matrixFamily struct {
	title string
	rows  []matrixRow
}

// matrixRow is a lock with its cells, one for each scenario.
type matrixRow struct {
	lock   scenarios.Lock
	reason string
	cells  []*matrixCell
}

// matrix makes the cells that are asked for.
func (c *matrixCmd) matrix(a *app) (*matrix, error) {
	m := &matrix{app: a, matrixCmd: *c, scenarios: scenarios.All()}
	for _, id := range c.Scenario {
		if _, err := scenarios.Find(id); err != nil {
			return nil, err
		}
	}
	if len(c.Scenario) > 0 {
		m.scenarios = slices.DeleteFunc(m.scenarios, func(s *scenarios.Scenario) bool { return !slices.Contains(c.Scenario, s.ID) })
	}
	for _, id := range c.Lock {
		if _, err := scenarios.FindLock(a.locks, id); err != nil {
			return nil, err
		}
		if _, err := scenarios.Expected(a.families, id); err != nil {
			return nil, err
		}
	}
	for _, f := range a.families {
		family := matrixFamily{title: f.Title}
		for i := range f.Expectations {
			e := &f.Expectations[i]
			if len(c.Lock) > 0 && !slices.Contains(c.Lock, e.Lock) {
				continue
			}
			row, err := m.row(e)
			if err != nil {
				return nil, err
			}
			family.rows = append(family.rows, row)
		}
		if len(family.rows) > 0 {
			m.families = append(m.families, family)
		}
	}
	return m, nil
}

func (m *matrix) row(e *scenarios.Expectations) (matrixRow, error) {
	row := matrixRow{reason: e.Reason}
	for _, s := range m.scenarios {
		expected := e.Under(s.ID)
		cell, err := scenarios.NewCell(s.ID, e.Lock, expected.Settings, m.locks)
		if err != nil {
			return row, err
		}
		row.lock = cell.Lock
		row.cells = append(row.cells, &matrixCell{matrix: m, cell: cell, expected: expected, reason: e.Reason})
	}
	return row, nil
}

// all are the cells, row by row.
func (m *matrix) all() (list []*matrixCell) {
	for _, f := range m.families {
		for _, r := range f.rows {
			list = append(list, r.cells...)
		}
	}
	return list
}

// search searches the cells, several at a time. An error is about the workers or
// about files; the end of the context is none.
func (m *matrix) search(ctx context.Context) error {
	var todo []*matrixCell
	for _, c := range m.all() {
		if c.expected.Except == "" {
			todo = append(todo, c)
		}
	}
	next, done := make(chan *matrixCell), make(chan *matrixCell)
	work, stop := context.WithCancel(ctx)
	defer stop()
	var hands sync.WaitGroup
	for range min(m.Jobs, len(todo)) {
		hands.Go(func() {
			for c := range next {
				c.err = c.search(work)
				done <- c
			}
		})
	}
	go func() {
		defer close(next)
		for _, c := range todo {
			select {
			case next <- c:
			case <-work.Done():
				return
			}
		}
	}()
	go func() { hands.Wait(); close(done) }()
	return m.follow(ctx, done, len(todo), stop)
}

// follow shows how far the search is, and ends it at the first error.
func (m *matrix) follow(ctx context.Context, done <-chan *matrixCell, of int, stop func()) (err error) {
	line := newLive(m.err)
	defer line.clear()
	n, unlike := 0, 0
	for c := range done {
		if c.err != nil && ctx.Err() == nil && err == nil {
			err = fmt.Errorf("%s under %s: %w", c.cell.Lock.ID, c.cell.Scenario.ID, c.err)
			stop()
		}
		if n++; len(c.problems()) > 0 {
			unlike++
		}
		line.show("%s of %s%s, %s not as expected, last %s under %s", wording.Grouped(n), wording.GroupedCount(of, "cell"), line.left(n, of), wording.Grouped(unlike), c.cell.Lock.ID, c.cell.Scenario.ID)
	}
	return err
}

// left is the time left if things go on as they have, as text.
func (l *live) left(done, of int) string {
	took := time.Since(l.started).Seconds()
	return ", " + roughly(took/float64(done)*float64(of-done)) + " left"
}

// code is the exit code: what is not as expected, and if nothing is, what could
// not be decided.
func (m *matrix) code() int {
	if m.interrupted {
		return exitInterrupted
	}
	code := exitNone
	for _, c := range m.all() {
		for _, p := range c.problems() {
			switch {
			case p.code == exitViolation:
				return exitViolation
			case code == exitNone || p.code == exitTrouble:
				code = p.code
			}
		}
	}
	return code
}
