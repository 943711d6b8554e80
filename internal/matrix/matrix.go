package matrix

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// Options configure a matrix.
type Options struct {
	// Known has the scenarios and locks that cells and traces may name, and the properties
	// besides the checker's own. Families are the expectations of locks.
	Known    cell.Registry
	Families []expect.Family
	// Locks and Scenarios are the ids of those to search; empty means all of the families' locks, and all scenarios. Stores
	// are the ids of the stores whose locks are searched; empty means all.
	Locks, Scenarios, Stores []string
	// Topology is the deployment of the servers, as a value of the parameter topology; empty means the usual one. Only locks
	// whose store has that parameter are searched, and violations that must be found in the usual topology may be found in
	// another.
	Topology string
	// Shard is the part of the cells to search: every n-th of those that apply, in their order. The zero Shard is all.
	Shard explore.Shard
	// Worker is the process that runs schedules.
	Worker explore.Worker
	// Runs is the number of schedules per cell, at least 1; up to [Patience] times as many
	// if a required violation is still missing.
	Runs int
	// Seed is the seed of the searches.
	Seed uint64
	// Jobs is the number of cells searched at a time, at least 1.
	Jobs int
	// Program is the program's name in printed commands.
	Program string
	// Reduce shrinks the counterexample of a finding; t is its trace. Nil does not shrink.
	// It must be safe for concurrent use.
	Reduce func(ctx context.Context, c cell.Cell, t *traces.Trace, f explore.Finding) (*traces.Trace, error)
	// Keep writes a counterexample of the cell to a file, and returns its path. Nil keeps
	// none. It must be safe for concurrent use.
	Keep func(c *Cell, t *traces.Trace) (path string, err error)
	// OnSearched is called after each cell with the numbers of searched cells and of all cells.
	OnSearched func(c *Cell, done, of int)
}

// Patience is the factor by which the budget of a cell may be exceeded while a required violation is missing.
const Patience = 16

// Matrix is a table of locks and scenarios.
type Matrix struct {
	Options
	// Columns are the scenarios: the requested ones, or else all that apply to a lock of the
	// matrix.
	Columns []*cell.Scenario
	// Groups are the locks, in families.
	Groups []Group
	// Interrupted is set if the search ended early.
	Interrupted bool
}

// Group is a family of locks.
type Group struct {
	Title string
	Rows  []Row
}

// Row is a lock with its cells, one for each scenario.
type Row struct {
	Lock cell.Lock
	// Reason is the reason of the lock's expectations.
	Reason string
	Cells  []*Cell
}

// New makes the requested cells. It is an error if a scenario or a lock is unknown, or a
// lock has no expectations.
func New(o Options) (*Matrix, error) {
	m := &Matrix{Options: o, Columns: slices.Clone(o.Known.Scenarios)}
	if err := o.unknown(); err != nil {
		return nil, err
	}
	if len(o.Scenarios) > 0 {
		m.Columns = slices.DeleteFunc(m.Columns, func(s *cell.Scenario) bool { return !slices.Contains(o.Scenarios, s.ID) })
	}
	for _, f := range o.Families {
		group := Group{Title: f.Title}
		for i := range f.Expectations {
			e := &f.Expectations[i]
			if len(o.Locks) > 0 && !slices.Contains(o.Locks, e.Lock) {
				continue
			}
			if o.Topology != "" && !m.deploys(e.Lock) {
				continue
			}
			row, err := m.row(e)
			if err != nil {
				return nil, err
			}
			if len(o.Stores) > 0 && !slices.Contains(o.Stores, row.Lock.Store.ID()) {
				continue
			}
			group.Rows = append(group.Rows, row)
		}
		if len(group.Rows) > 0 {
			m.Groups = append(m.Groups, group)
		}
	}
	if o.Topology != "" && len(m.Groups) == 0 {
		return nil, fmt.Errorf("topology=%s: the servers of the locks asked for are deployed in one way only", o.Topology)
	}
	if len(o.Scenarios) == 0 {
		m.trim()
	}
	return m, m.split()
}

// split marks the cells of other shards.
func (m *Matrix) split() error {
	n := 0
	for _, c := range m.Cells() {
		if c.Expected.Except == "" {
			c.Elsewhere = !m.Shard.Has(n)
			n++
		}
	}
	if m.Shard.Of > max(n, 1) {
		return fmt.Errorf("--shard=%s: %s, and a shard needs one: want fewer shards", m.Shard, wording.Form(n, "there is one cell", fmt.Sprintf("there are %d cells", n)))
	}
	return nil
}

// unknown returns an error if the options name an unknown lock, scenario or store.
func (o *Options) unknown() error {
	for _, id := range o.Scenarios {
		if _, err := o.Known.Scenario(id); err != nil {
			return err
		}
	}
	for _, id := range o.Stores {
		var ids []string
		for _, s := range cell.Stores(o.Known.Locks) {
			ids = append(ids, s.ID())
		}
		if !slices.Contains(ids, id) {
			return &cell.UnknownError{What: "store", ID: id, Known: ids}
		}
	}
	for _, id := range o.Locks {
		if _, err := o.Known.Lock(id); err != nil {
			return err
		}
		if _, err := expect.Expected(o.Families, id); err != nil {
			return err
		}
	}
	return nil
}

// trim removes the columns of scenarios that apply to no lock, and the rows of locks that do not run with the deployment
// of servers, unless requested.
func (m *Matrix) trim() {
	for g := range m.Groups {
		m.Groups[g].Rows = slices.DeleteFunc(m.Groups[g].Rows, func(r Row) bool {
			return len(m.Locks) == 0 && !slices.ContainsFunc(r.Cells, func(c *Cell) bool { return c.Expected.Except == "" })
		})
	}
	m.Groups = slices.DeleteFunc(m.Groups, func(g Group) bool { return len(g.Rows) == 0 })
	for i := len(m.Columns) - 1; i >= 0; i-- {
		applies := slices.ContainsFunc(m.Cells(), func(c *Cell) bool {
			return c.Scenario == m.Columns[i] && c.Expected.Except == ""
		})
		if applies {
			continue
		}
		m.Columns = slices.Delete(m.Columns, i, i+1)
		for g := range m.Groups {
			for r := range m.Groups[g].Rows {
				row := &m.Groups[g].Rows[r]
				row.Cells = slices.Delete(row.Cells, i, i+1)
			}
		}
	}
}

func (m *Matrix) row(e *expect.Expectations) (Row, error) {
	row := Row{Reason: e.Reason}
	for _, s := range m.Columns {
		c, err := m.cell(e, s)
		if err != nil {
			return row, err
		}
		row.Lock = c.Lock
		row.Cells = append(row.Cells, c)
	}
	return row, nil
}

// cell returns the cell of a lock and a scenario, with its expectation.
func (m *Matrix) cell(e *expect.Expectations, s *cell.Scenario) (*Cell, error) {
	expected := e.Under(s.ID)
	if m.Topology != "" {
		expected = e.Deployed(s.ID, m.Topology)
	}
	c, err := m.Known.Cell(s.ID, e.Lock, expected.Settings)
	if err != nil {
		return nil, err
	}
	var deployed []traces.Parameter
	if m.Topology != "" {
		usual, err := m.Known.Cell(s.ID, e.Lock, nil)
		if err != nil {
			return nil, err
		}
		_ = usual.Deploy(m.Topology) // c has the error
		deployed = usual.Settings()
		if err := c.Deploy(m.Topology); err != nil && c.Params.ServerCount() == 1 {
			return nil, err // the value is wrong, not the lock's number of servers
		} else if err != nil {
			expected.Except = err.Error()
		}
	}
	if expected.Except == "" {
		expected.Except = c.Lacks()
	}
	return &Cell{Cell: c, Expected: expected, options: &m.Options, reason: e.Reason, deployed: deployed}, nil
}

// deploys reports whether the servers of a lock's store can be deployed in several ways.
func (m *Matrix) deploys(lock string) bool {
	l, err := m.Known.Lock(lock)
	return err == nil && cell.Cell{Lock: l}.Deploys()
}

// Cells returns the cells, row by row.
func (m *Matrix) Cells() (list []*Cell) {
	for _, g := range m.Groups {
		for _, r := range g.Rows {
			list = append(list, r.Cells...)
		}
	}
	return list
}

// Search searches the cells in parallel. An error is one of the workers or of files; the end of the context is not an
// error.
func (m *Matrix) Search(ctx context.Context) error {
	var todo []*Cell
	for _, c := range m.Cells() {
		if c.Searches() {
			todo = append(todo, c)
		}
	}
	next, done := make(chan *Cell), make(chan *Cell)
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
	err := m.follow(ctx, done, len(todo), stop)
	m.Interrupted = ctx.Err() != nil
	return err
}

// follow reports progress, and ends the search at the first error.
func (m *Matrix) follow(ctx context.Context, done <-chan *Cell, of int, stop func()) (err error) {
	n := 0
	for c := range done {
		if c.err != nil && ctx.Err() == nil && err == nil {
			err = fmt.Errorf("%s under %s: %w", c.Lock.ID, c.Scenario.ID, c.err)
			stop()
		}
		n++
		if m.OnSearched != nil {
			m.OnSearched(c, n, of)
		}
	}
	return err
}

// The results of a matrix.
const (
	AsExpected    = "as-expected"
	NotAsExpected = "not-as-expected"
	Inconclusive  = "inconclusive" // as expected, but something could not be decided
	Interrupted   = "interrupted"
)

// Result returns the result of the matrix: differences from the expectations come before cells
// that could not be decided.
func (m *Matrix) Result() string {
	if m.Interrupted {
		return Interrupted
	}
	result := AsExpected
	if m.Totals().Cells == 0 {
		result = Inconclusive // nothing applies, so nothing was searched
	}
	for _, c := range m.Cells() {
		for _, p := range c.Problems() {
			if p.Unlike() {
				return NotAsExpected
			}
			result = Inconclusive
		}
	}
	return result
}

// Totals sum up the cells.
type Totals struct{ Cells, Searched, AsExpected, Schedules int }

// Totals sums up the cells that apply and belong to no other shard.
func (m *Matrix) Totals() (t Totals) {
	for _, c := range m.Cells() {
		if !c.Searches() {
			continue
		}
		t.Cells++
		if c.Summary == nil {
			continue
		}
		t.Schedules += c.Summary.Schedules
		if !c.Summary.Interrupted {
			t.Searched++
		}
		if c.AsExpected() {
			t.AsExpected++
		}
	}
	return t
}

// Standings returns the standings of all cells.
func (m *Matrix) Standings() map[Standing]bool {
	shown := map[Standing]bool{}
	for _, c := range m.Cells() {
		shown[c.Standing()] = true
		if c.Standing() == Fault && slices.ContainsFunc(c.Violated(), func(v model.Violation) bool { return StandingOf(v) == Limit }) {
			shown[Limit] = true
		}
		if c.Unended() {
			shown[Undecided] = true
		}
	}
	return shown
}
