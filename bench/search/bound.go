package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// checkLimit is how many schedules a check may take to say that a bug needs no
// fewer deviations.
const checkLimit = 50_000

// smallestBound is the fewest deviations that show the bug. A counterexample,
// shrunk, has that many, and a check of the cell that it was shrunk to finds
// none with fewer. If that check was too long to be completed, the answer is a
// range: "4-5".
func (b *bench) smallestBound(ctx context.Context, c cell.Cell, property string) (string, error) {
	if !b.bounds {
		return "not asked", nil
	}
	tape, v, err := b.first(ctx, c, property)
	if err != nil || tape == nil {
		return "?", err
	}
	s, err := explore.Shrink{
		Worker: b.worker, Cell: c.Encode(), Property: v.Property, Limit: v.Limit, Smaller: c.Smaller, Budget: 10_000,
	}.Run(ctx, tape)
	if err != nil {
		return "", err
	}
	sum, err := explore.Check{
		Worker: b.worker, Cell: s.Cell, Bound: s.Deviations - 1, Limit: checkLimit, Jobs: b.jobs, Until: v,
	}.Run(ctx)
	if err != nil {
		return "", err
	}
	most := s.Deviations
	for found, f := range sum.First { // unordered: a minimum
		if v.Shown([]model.Violation{found}) {
			most = min(most, f.Deviations)
		}
	}
	if least := sum.Complete + 1; least < most {
		return fmt.Sprintf("%d-%d", least, most), nil
	}
	return fmt.Sprint(most), nil
}

// first is a tape that shows the bug, nil if the portfolio finds none, and whether
// it does so as a fault or as a limit.
func (b *bench) first(ctx context.Context, c cell.Cell, property string) (tape []sim.Choice, v model.Violation, err error) {
	q := explore.Request{Cell: c.Encode(), Strategy: explore.PortfolioStrategy, Seed: 1, Count: 50_000}
	err = b.worker.Do(ctx, q, func(r explore.Result) bool {
		i := slices.IndexFunc(r.Violated, func(v model.Violation) bool { return v.Property == property })
		if r.Trouble == nil && i >= 0 {
			tape, v = r.Tape, r.Violated[i]
		}
		return tape == nil
	})
	return tape, v, err
}
