package scenarios

import (
	"context"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// AttributeOptions are what [Cell.Attribute] needs. STUB, until branch traces
// is merged: texts are the decisions' identities.
type AttributeOptions struct {
	Worker     explore.Worker
	Locks      []Lock
	Property   string
	Tape       []sim.Choice
	Outcome    explore.Outcome
	Seed       uint64
	Jobs       int
	Budget     int
	OnProgress func()
}

// Attribute says what a counterexample of the cell needs, and which of the
// scenario's remedies would have helped.
func (c Cell) Attribute(ctx context.Context, o AttributeOptions) (*traces.Attribution, error) {
	remedies := c.Remedies(o.Locks)
	a := explore.Attribute{
		Worker: o.Worker, Cell: c.Encode(), Property: o.Property,
		Strategy: explore.PortfolioStrategy, Seed: o.Seed, Jobs: o.Jobs, Budget: o.Budget, OnProgress: o.OnProgress,
	}
	for _, r := range remedies {
		a.Remedies = append(a.Remedies, r.Cell.Encode())
	}
	found, err := a.Run(ctx, o.Tape)
	if err != nil {
		return nil, err
	}
	out := &traces.Attribution{Deviations: []traces.Deviation{}, Remedies: []traces.Remedy{}}
	for _, n := range found.Necessary {
		out.Deviations = append(out.Deviations, traces.Deviation{
			Decision: n.Choice.ID(), Option: n.Choice.Option, Text: n.Choice.ID(), Needed: n.Needed,
		})
	}
	for i, r := range found.Remedies {
		remedy := traces.Remedy{Text: remedies[i].Text, Schedules: r.Schedules, Bound: r.Bound, Gone: !r.Violated && r.Trouble == nil}
		if r.Trouble != nil && !r.Violated {
			remedy.Trouble = r.Trouble.Reason
		}
		out.Remedies = append(out.Remedies, remedy)
	}
	return out, nil
}
