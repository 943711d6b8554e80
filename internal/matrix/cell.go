package matrix

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// Cell is a lock in a scenario with its expectation and, after the search, its findings.
type Cell struct {
	cell.Cell
	Expected expect.Expectation
	// Elsewhere is set if another shard searches the cell.
	Elsewhere bool

	// Summary is the result of the search, nil before it.
	Summary *explore.Summary
	// Findings are counterexamples that together show each violation that was found.
	Findings []Finding

	options  *Options
	reason   string             // of the lock
	deployed []traces.Parameter // the settings of the requested topology
	err      error
}

// Finding is a counterexample of one or several violations.
type Finding struct {
	Shows []model.Violation
	// Schedule is the number of the schedule in which it was found, from 0.
	Schedule int
	Trace    *traces.Trace
	// Path is the path of the trace, empty if it is not kept.
	Path string
}

// Verdict returns the finding's verdict on a violation, the zero Verdict if it does not show
// it.
func (f *Finding) Verdict(v model.Violation) (said model.Verdict) {
	for i := range f.Trace.Verdicts {
		if f.Trace.Verdicts[i].Violation() == v {
			return f.Trace.Verdicts[i]
		}
	}
	return said
}

// FindingOf returns the counterexample of a violation, nil if there is none.
func (c *Cell) FindingOf(v model.Violation) *Finding {
	for i := range c.Findings {
		if slices.Contains(c.Findings[i].Shows, v) {
			return &c.Findings[i]
		}
	}
	return nil
}

// Confirmed reports whether one of the counterexamples was made to happen on real servers.
func (c *Cell) Confirmed() bool {
	return slices.ContainsFunc(c.Findings, func(f Finding) bool { return f.Trace.Confirmed() })
}

// Violated returns the violations that were found, in the order of [checker.InOrder].
func (c *Cell) Violated() []model.Violation {
	if c.Summary == nil {
		return nil
	}
	return checker.InOrder(c.Summary.Violations)
}

// search searches the cell until all required violations are found and the budget is
// spent.
func (c *Cell) search(ctx context.Context) error {
	var found []explore.Finding
	var err error
	c.Summary, err = explore.Search{
		Worker: c.options.Worker, Cell: c.Cell.Encode(), Strategy: explore.PortfolioStrategy, Seed: c.options.Seed,
		Schedules: Patience * c.options.Runs, Happenings: len(c.Happenings()), Impatient: true,
		Enough: c.enough, OnFinding: func(f explore.Finding) { found = append(found, f) },
	}.Run(ctx)
	if err != nil {
		return err
	}
	return c.selectFrom(ctx, found)
}

// enough reports whether a search may end: its budget is spent, and no required violation
// is missing.
func (c *Cell) enough(s *explore.Summary) bool {
	if s.Schedules < c.options.Runs {
		return false
	}
	missed, _ := c.Expected.Unlike(checker.InOrder(s.Violations))
	return len(missed) == 0 &&
		(c.Expected.Vacuous || !slices.Contains(s.Happened, 0)) &&
		(!c.Expected.Undecided || s.Undecided > 0)
}

// selectFrom selects one counterexample for each violation that no other selected one shows, the
// most important first.
func (c *Cell) selectFrom(ctx context.Context, found []explore.Finding) error {
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
		one := Finding{Schedule: f.Schedule, Trace: t}
		rest = slices.DeleteFunc(rest, func(o explore.Finding) bool {
			same := o.Violation() == f.Violation() || shows(t, o.Violation())
			if same {
				one.Shows = append(one.Shows, o.Violation())
			}
			return same
		})
		if c.options.Keep != nil {
			if one.Path, err = c.options.Keep(c, t); err != nil {
				return err
			}
		}
		c.Findings = append(c.Findings, one)
	}
	return nil
}

// byWeight returns the violations, the most important first: forbidden ones, faults,
// violations that do harm.
func (c *Cell) byWeight() []model.Violation {
	weight := func(v model.Violation) (w int) {
		if !c.Expected.Allows(v) {
			w += 4
		}
		if !Excused(v) {
			w += 2
		}
		if p, _ := c.Property(v.Property); p.Description.Consequence == model.Damage {
			w++
		}
		return w
	}
	list := c.Violated()
	slices.SortStableFunc(list, func(a, b model.Violation) int { return weight(b) - weight(a) })
	return list
}

// Excused reports whether a violation is a limit of leases, or of a weak property.
func Excused(v model.Violation) bool { return v.Limit || checker.Weak(v.Property) }

func shows(t *traces.Trace, v model.Violation) bool {
	return slices.ContainsFunc(t.Verdicts, func(o model.Verdict) bool { return o.Violation() == v })
}

// Searches reports whether the matrix searches the cell: it applies, and belongs to no other shard.
func (c *Cell) Searches() bool { return c.Expected.Except == "" && !c.Elsewhere }

// trace returns the trace of a finding, shrunk if requested.
func (c *Cell) trace(ctx context.Context, f explore.Finding) (*traces.Trace, error) {
	t := c.Trace(c.options.Seed, f.Schedule, f.Property, f.Outcome)
	t.Strategy = explore.PortfolioStrategy
	if c.options.Reduce == nil {
		return t, nil
	}
	return c.options.Reduce(ctx, c.Cell, t, f)
}

// Other returns the parameters that differ from the scenario's, except those that the requested topology sets.
func (c *Cell) Other() []traces.Parameter {
	return slices.DeleteFunc(c.Settings(), func(p traces.Parameter) bool { return slices.Contains(c.deployed, p) })
}

// Again returns the command that searches the cell alone.
func (c *Cell) Again() string {
	words := []string{c.options.Program, "run", wording.Shell(c.Scenario.ID), "--" + c.Lock.Noun(), wording.Shell(c.Lock.ID), "--seed", fmt.Sprint(c.options.Seed), "--runs", fmt.Sprint(c.runs())}
	for _, p := range c.Settings() {
		words = append(words, "--param", wording.Shell(p.Name+"="+p.Value))
	}
	return strings.Join(words, " ")
}

// runs returns the number of schedules that a search of the cell alone needs for the same
// result: whole blocks.
func (c *Cell) runs() int {
	if c.Summary == nil {
		return c.options.Runs
	}
	return c.Summary.Schedules
}

// troubles returns the kinds of troubles of the search.
func (c *Cell) troubles() []explore.TroubleKind {
	kinds := map[explore.TroubleKind]bool{}
	for i := range c.Summary.Troubles {
		kinds[c.Summary.Troubles[i].Kind] = true
	}
	return slices.Sorted(maps.Keys(kinds))
}
