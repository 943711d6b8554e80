package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Blocks of a search are independent, so the mean number of schedules until a bug is found is the number of schedules of some
// blocks, each up to the one that found it, divided by the number of blocks that did. It says as much as medians over seeds
// for a fraction of the schedules.

// blockRates writes a line for each bug and strategy: blocks that found it, schedules a find with an interval of 90 percent
// (by bootstrap over the blocks), and processor time a find.
func (b *bench) blockRates(ctx context.Context, chosen []place, out io.Writer) error {
	for _, c := range chosen {
		resolved, err := c.resolve()
		if err != nil {
			return err
		}
		for _, strategy := range b.strategies {
			found, err := b.seedsOf(ctx, resolved.Encode(), c.properties, strategy, explore.BlockSize)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", c, strategy, err)
			}
			for i, p := range c.properties {
				var list []first
				for _, f := range found {
					list = append(list, f[i])
				}
				r := rateOf(list)
				fmt.Fprintf(out, "%s %s\t%s\t%d of %d\t%.0f\t[%.0f %.0f]\t%.3fs\n", c, p, strategy, r.found, len(list), r.mean, r.low, r.high, r.spent.Seconds())
			}
		}
	}
	return nil
}

// rate is what was measured by blocks.
type rate struct {
	found           int
	mean, low, high float64 // schedules a find; those of all blocks if none found it
	spent           time.Duration
}

// rateOf measures by blocks, in each of which the bug was found at a schedule, or not.
func rateOf(blocks []first) rate {
	mean := func(pick func(int) first) (float64, int) {
		schedules, found := 0, 0
		for i := range blocks {
			f := pick(i)
			if f.schedule != none {
				found++
			}
			schedules += min(f.schedule, explore.BlockSize)
		}
		return float64(schedules) / float64(max(found, 1)), found
	}
	var r rate
	r.mean, r.found = mean(func(i int) first { return blocks[i] })
	for _, f := range blocks {
		r.spent += f.spent / time.Duration(max(r.found, 1))
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var means []float64
	for range 1000 {
		m, _ := mean(func(int) first { return blocks[rng.IntN(len(blocks))] })
		means = append(means, m)
	}
	slices.Sort(means)
	r.low, r.high = means[50], means[950]
	return r
}
