package scenarios

import (
	"context"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// AttributeOptions are what [Cell.Attribute] needs.
type AttributeOptions struct {
	Worker explore.Worker
	// Locks are those that remedies may name.
	Locks []Lock
	// NoRemedies asks only what the counterexample needs, which takes few runs.
	NoRemedies bool
	// Property is what the counterexample violates, Tape what it takes to run
	// it, and Outcome what that came to, recorded: the texts are made of it, and it
	// says whether the violation is a fault or a limit.
	Property string
	Tape     []sim.Choice
	Outcome  explore.Outcome
	// Seed and Jobs are for the search of remedies.
	Seed uint64
	Jobs int
	// Budget is how many schedules there are for each remedy, 0 for the
	// default, and Events how many events all that may take, 0 for any number.
	Budget int
	Events int64
	// OnProgress, if not nil, is called after each run with how many there have
	// been and may be at most.
	OnProgress func(runs, atMost int)
	// OnSpent, if not nil, is told how many events it took.
	OnSpent func(events int64)
}

// Attribute says what a counterexample of the cell needs, and which of the
// scenario's remedies would have helped.
func (c Cell) Attribute(ctx context.Context, o AttributeOptions) (*traces.Attribution, error) {
	var remedies []Remedied
	if !o.NoRemedies {
		remedies = c.Remedies(o.Locks)
	}
	a := explore.Attribute{
		Worker: o.Worker, Cell: c.Encode(), Property: o.Property,
		Limit:    !slices.Contains(o.Outcome.Violated(), model.Violation{Property: o.Property}),
		Strategy: explore.PortfolioStrategy, Seed: o.Seed, Jobs: o.Jobs, Budget: o.Budget, Events: o.Events,
		OnProgress: o.OnProgress,
	}
	list, searched, err := c.applying(ctx, o, remedies)
	if err != nil {
		return nil, err
	}
	for _, i := range searched {
		a.Remedies = append(a.Remedies, remedies[i].Cell.Encode())
	}
	found, err := a.Run(ctx, o.Tape)
	if err == nil {
		err = ctx.Err() // a search that was cut short has not found that anything is gone
	}
	if err != nil {
		return nil, err
	}
	if o.OnSpent != nil {
		o.OnSpent(found.Events)
	}
	out := &traces.Attribution{Deviations: []traces.Deviation{}, Remedies: append([]traces.Remedy{}, list...)}
	for _, n := range found.Necessary {
		text, seq := c.deviationText(o.Outcome.Recording, n.Choice)
		if n.Unsure {
			text += " (without it the run comes to no proper end)"
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
