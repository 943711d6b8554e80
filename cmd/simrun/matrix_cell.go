package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// matrixCell is a lock in a scenario with what is expected of it and, once it has
// been searched, with what was found.
type matrixCell struct {
	matrix   *matrix
	cell     scenarios.Cell
	expected scenarios.Expectation
	reason   string // of the lock

	sum  *explore.Summary // nil before the search
	told []matrixFinding
	err  error
}

// matrixFinding is a counterexample that is told, of one violation or of several
// that it shows.
type matrixFinding struct {
	shows    []model.Violation
	schedule int
	trace    *traces.Trace
	path     string // of the trace, empty if it is not kept
}

// verdict is what the finding says of a violation, nothing if it does not show it.
func (f *matrixFinding) verdict(v model.Violation) (said model.Verdict) {
	for i := range f.trace.Verdicts {
		if f.trace.Verdicts[i].Violation() == v {
			return f.trace.Verdicts[i]
		}
	}
	return said
}

// findingOf is the counterexample of a violation, nil if there is none.
func (c *matrixCell) findingOf(v model.Violation) *matrixFinding {
	for i := range c.told {
		if slices.Contains(c.told[i].shows, v) {
			return &c.told[i]
		}
	}
	return nil
}

// search searches the cell until all is found that must be and the budget is
// spent.
func (c *matrixCell) search(ctx context.Context) error {
	var found []explore.Finding
	var err error
	c.sum, err = explore.Search{
		Worker: c.matrix.worker, Cell: c.cell.Encode(), Strategy: explore.PortfolioStrategy, Seed: c.matrix.Seed,
		Schedules: patience * c.matrix.Runs, Happenings: len(c.cell.Scenario.Happenings), Impatient: true,
		Enough: c.enough, OnFinding: func(f explore.Finding) { found = append(found, f) },
	}.Run(ctx)
	if err != nil {
		return err
	}
	return c.tell(ctx, found)
}

// enough reports whether a search may end: its budget is spent, and nothing
// expected is missing.
func (c *matrixCell) enough(s *explore.Summary) bool {
	if s.Schedules < c.matrix.Runs {
		return false
	}
	missed, _ := c.expected.Unlike(violationsOf(&s.Tally))
	return len(missed) == 0 &&
		(c.expected.Vacuous || !slices.Contains(s.Happened, 0)) &&
		(!c.expected.Undecided || s.Undecided > 0)
}

// tell keeps one counterexample of each violation that no other of them shows as
// well: what says most first.
func (c *matrixCell) tell(ctx context.Context, found []explore.Finding) error {
	var rest []explore.Finding
	for _, v := range c.byWeight() {
		if i := slices.IndexFunc(found, func(f explore.Finding) bool { return f.Violation() == v }); i >= 0 {
			rest = append(rest, found[i])
		}
	}
	for len(rest) > 0 {
		f := rest[0]
		t, err := c.trace(ctx, f)
		if err != nil {
			return err
		}
		told := matrixFinding{schedule: f.Schedule, trace: t}
		rest = slices.DeleteFunc(rest, func(o explore.Finding) bool {
			same := o.Violation() == f.Violation() || shows(t, o.Violation())
			if same {
				told.shows = append(told.shows, o.Violation())
			}
			return same
		})
		if told.path, err = c.keep(t); err != nil {
			return err
		}
		c.told = append(c.told, told)
	}
	return nil
}

// byWeight are the violations, what says most first: what must never be, faults,
// harm.
func (c *matrixCell) byWeight() []model.Violation {
	weight := func(v model.Violation) (w int) {
		if !c.expected.Allows(v) {
			w += 4
		}
		if !excused(v) {
			w += 2
		}
		if v.Property == checker.NoLostUpdate {
			w++
		}
		return w
	}
	list := violationsOf(&c.sum.Tally)
	slices.SortStableFunc(list, func(a, b model.Violation) int { return weight(b) - weight(a) })
	return list
}

// excused reports whether a violation is a limit of leases, or a weaker finding.
func excused(v model.Violation) bool { return v.Limit || scenarios.Weaker(v.Property) }

func shows(t *traces.Trace, v model.Violation) bool {
	return slices.ContainsFunc(t.Verdicts, func(o model.Verdict) bool { return o.Violation() == v })
}

// matrixShrinking is how many runs a counterexample may take at most to be made
// smaller: there are hundreds of them.
const matrixShrinking = 400

// trace is the trace of a finding. Only if somebody will look at it, it is made
// smaller, and asked what it needs.
func (c *matrixCell) trace(ctx context.Context, f explore.Finding) (*traces.Trace, error) {
	t := c.cell.Trace(c.matrix.Seed, f.Schedule, f.Property, f.Outcome)
	t.Strategy = explore.PortfolioStrategy
	if c.matrix.Page == "" && c.matrix.Out == "" {
		return t, nil
	}
	r := scenarios.Reducer{Worker: c.matrix.worker, Jobs: 1, Locks: c.matrix.locks, FaultRuns: matrixShrinking, LimitRuns: matrixShrinking}
	share := explore.NewAllowance(0, 0).Share(false)
	small, err := r.Shrink(ctx, c.cell, t, f.Tape, explore.ToShrink(share))
	if err != nil {
		return t, unlessInterrupted(err)
	}
	small.Before = explore.CountDeviations(f.Tape)
	s, err := r.Trace(c.cell, t, small)
	if err != nil {
		return t, err
	}
	err = r.Needs(ctx, s, small, max(share-small.Events, 1))
	return s, unlessInterrupted(err)
}

// unlessInterrupted is the error, none if it is that of a context: what was found
// stands as it is. A run that comes to no proper end is no reason either to lose
// the rest.
func unlessInterrupted(err error) error {
	var trouble *explore.Trouble
	if errors.Is(err, context.Canceled) || errors.As(err, &trouble) {
		return nil
	}
	return err
}

// keep writes the trace, if traces are kept, and its page if there is a page that
// leads there.
func (c *matrixCell) keep(t *traces.Trace) (path string, err error) {
	if c.matrix.Out == "" {
		return "", nil
	}
	path = filepath.Join(c.matrix.Out, c.cell.Scenario.ID+"_"+c.cell.Lock.ID+"_"+fileWord(t.Violation())+".json")
	if err := traces.WriteFile(path, t); err != nil {
		return "", usageError{fmt.Errorf("a trace cannot be written: %w", err)}
	}
	if c.matrix.Page == "" {
		return path, nil
	}
	err = traces.Replace(pageOf(path), func(w io.Writer) error { return traces.View(w, t, c.matrix.replayWith(t, path)) })
	if err != nil {
		return "", usageError{fmt.Errorf("the page of a trace cannot be written: %w", err)}
	}
	return path, nil
}

// pageOf is where the page of a trace goes.
func pageOf(trace string) string { return strings.TrimSuffix(trace, filepath.Ext(trace)) + ".html" }

// again is the command that searches the cell alone.
func (c *matrixCell) again() string {
	words := []string{c.matrix.name, "run", c.cell.Scenario.ID, "--lock", c.cell.Lock.ID, "--seed", fmt.Sprint(c.matrix.Seed), "--runs", fmt.Sprint(c.runs())}
	for _, p := range c.cell.Settings() {
		words = append(words, "--param", shellWord(p.Name+"="+p.Value))
	}
	return strings.Join(words, " ")
}

// runs is how many schedules there were, the whole blocks of which a search of
// the cell alone needs to come to the same.
func (c *matrixCell) runs() int {
	if c.sum == nil {
		return c.matrix.Runs
	}
	return c.sum.Schedules
}

// troubles are the kinds of troubles that there were.
func (c *matrixCell) troubles() []explore.TroubleKind {
	kinds := map[explore.TroubleKind]bool{}
	for i := range c.sum.Troubles {
		kinds[c.sum.Troubles[i].Kind] = true
	}
	return slices.Sorted(maps.Keys(kinds))
}
