package hunt

import (
	"context"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// AttributeOptions are the arguments of [Attribute].
type AttributeOptions struct {
	Worker explore.Worker
	// Locks are the locks that remedies may use.
	Locks []cell.Lock
	// NoRemedies skips the remedies and determines only what the counterexample needs. That
	// takes few runs.
	NoRemedies bool
	// Property is the violated property, Tape the tape of the counterexample, and Outcome its recorded outcome. Outcome has
	// the texts, and whether the violation is a fault or a limit.
	Property string
	Tape     []sim.Choice
	Outcome  explore.Outcome
	// Seed and Jobs are the seed and the number of workers of the search of remedies.
	Seed uint64
	Jobs int
	// Budget is the number of schedules per remedy (0: the default), and Events the
	// maximum number of events in all (0: no limit).
	Budget int
	Events int64
	// Time limits the processor time of the runs that determine the needs (0: no limit).
	Time time.Duration
	// Searched, if not nil, remembers searches of remedies for later counterexamples.
	Searched *explore.Searched
	// OnProgress, if not nil, is called after each run with the number of runs so far and
	// an upper bound.
	OnProgress func(runs, atMost int)
}

// Attribute determines what a counterexample of the cell needs and which of the scenario's
// remedies prevent it.
func Attribute(ctx context.Context, c cell.Cell, o AttributeOptions) (*traces.Attribution, error) {
	var remedies []Remedied
	if !o.NoRemedies {
		var err error
		if remedies, err = distinct(ctx, c, o, Remedies(c, o.Property, o.Locks)); err != nil {
			return nil, err
		}
	}
	a := explore.Attribute{
		Worker: o.Worker, Cell: c.Encode(), Property: o.Property,
		Limit:    !slices.Contains(o.Outcome.Violated(), model.Violation{Property: o.Property}),
		Strategy: explore.PortfolioStrategy, Seed: o.Seed, Jobs: o.Jobs, Budget: o.Budget, Events: o.Events, Time: o.Time,
		Searched: o.Searched, OnProgress: o.OnProgress,
	}
	list, searched, err := applying(ctx, c, o, remedies)
	if err != nil {
		return nil, err
	}
	for _, i := range searched {
		a.Remedies = append(a.Remedies, remedies[i].Cell.Encode())
	}
	found, err := a.Run(ctx, o.Tape)
	if err == nil {
		err = ctx.Err() // an interrupted search does not show that a violation is gone
	}
	if err != nil {
		return nil, err
	}
	out := &traces.Attribution{Deviations: []traces.Deviation{}, Remedies: append([]traces.Remedy{}, list...)}
	describe := c.DeviationTexts(o.Outcome.Recording)
	for _, n := range found.Necessary {
		text, seq := describe(n.Choice)
		if n.Unsure {
			text += " (without it the run does not finish)"
		}
		out.Deviations = append(out.Deviations, traces.Deviation{
			Decision: n.Choice.ID(), Option: n.Choice.Option, Seq: seq, Text: text, Needed: n.Needed, Untried: n.Untried,
		})
	}
	for n, r := range found.Remedies {
		remedy := &out.Remedies[searched[n]]
		remedy.Schedules, remedy.Bound = r.Schedules, r.Bound
		switch {
		case r.Trouble != nil && !r.Violated:
			remedy.Trouble = r.Trouble.Reason
		default:
			remedy.Gone = !r.Violated
		}
		if remedy.Gone {
			remedy.Note = remedies[searched[n]].note()
		}
	}
	return out, nil
}
