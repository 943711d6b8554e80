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

// matrixFinding is a counterexample that is told, of one property or of several
// that it violates.
type matrixFinding struct {
	properties []string
	schedule   int
	trace      *traces.Trace
	path       string // of the trace, empty if it is not kept
}

// sentence is what the finding says of a property.
func (f *matrixFinding) sentence(property string) string {
	for _, v := range f.trace.Verdicts {
		if v.Property == property {
			return v.Sentence
		}
	}
	return ""
}

// findingOf is the counterexample of a property, nil if there is none.
func (c *matrixCell) findingOf(property string) *matrixFinding {
	for i := range c.told {
		if slices.Contains(c.told[i].properties, property) {
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
	missed, _ := c.expected.Unlike(violated(s))
	return len(missed) == 0 &&
		(c.expected.Vacuous || !slices.Contains(s.Happened, 0)) &&
		(!c.expected.Undecided || s.Undecided > 0)
}

// violated are the violated properties, in the order of [checker.IDs].
func violated(s *explore.Summary) []string {
	return slices.DeleteFunc(checker.IDs(), func(id string) bool { return s.Violations[id] == 0 })
}

// tell keeps one counterexample of each property that no other of them violates as
// well: what says most first.
func (c *matrixCell) tell(ctx context.Context, found []explore.Finding) error {
	var rest []explore.Finding
	for _, p := range c.byWeight() {
		if i := slices.IndexFunc(found, func(f explore.Finding) bool { return f.Property == p }); i >= 0 {
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
			same := o.Property == f.Property || violates(t, o.Property)
			if same {
				told.properties = append(told.properties, o.Property)
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

// byWeight are the violated properties, what says most first: what must never be,
// faults, harm.
func (c *matrixCell) byWeight() []string {
	weight := func(p string) (w int) {
		if !c.expected.Allows(p) {
			w += 4
		}
		if !c.limit(p) {
			w += 2
		}
		if p == checker.NoLostUpdate {
			w++
		}
		return w
	}
	list := violated(c.sum)
	slices.SortStableFunc(list, func(a, b string) int { return weight(b) - weight(a) })
	return list
}

// limit reports whether a violation counts as a limit of leases here, or is a
// weaker finding.
func (c *matrixCell) limit(property string) bool {
	return slices.Contains(c.cell.Limits(), property) || scenarios.Weaker(property)
}

func violates(t *traces.Trace, property string) bool {
	return slices.ContainsFunc(t.Verdicts, func(v model.Verdict) bool { return v.Property == property && v.Status == model.Violated })
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
	r := reducer{app: c.matrix.app, jobs: 1, show: func(string, ...any) {}}
	share := explore.NewAllowance(0, 0).Share(false)
	small, err := r.shrink(ctx, explore.Shrink{
		Cell: c.cell.Encode(), Property: f.Property, Budget: matrixShrinking, Events: explore.ToShrink(share),
	}, f.Tape)
	if err != nil {
		return t, unlessInterrupted(err)
	}
	small.Before = explore.CountDeviations(f.Tape)
	s, err := r.trace(c.cell, t, small)
	if err != nil {
		return t, err
	}
	smaller, err := scenarios.CellOf(s, c.matrix.locks)
	if err != nil {
		return t, err
	}
	s.Attribution, err = smaller.Attribute(ctx, scenarios.AttributeOptions{
		Worker: c.matrix.worker, NoRemedies: true, Property: s.Property, Tape: small.Tape, Outcome: small.Outcome, Seed: s.Seed, Jobs: 1,
		Events: max(share-small.Events, 1),
	})
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
	path = filepath.Join(c.matrix.Out, c.cell.Scenario.ID+"_"+c.cell.Lock.ID+"_"+t.Property+".json")
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
