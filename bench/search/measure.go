package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/sim/explore"
)

// How many schedules a seed has. The portfolio goes first and has most of
// them; the others have so many times its median, which is enough to tell by
// how much they are worse: but for random, up to what says whether they are
// twice as good.
const (
	most        = 4000
	mostOthers  = 1500
	least       = 250
	timesMedian = 3
)

// others is how many schedules another strategy has in a cell where the
// portfolio's slowest median is that.
func others(strategy string, slowest int) int {
	n := max(least, timesMedian*slowest)
	if strategy != explore.RandomStrategy {
		n = min(n, max(mostOthers, slowest))
	}
	return n
}

// none stands for a seed that did not find the bug.
const none = 1 << 30

// bug is one property of a cell, with what was measured.
type bug struct {
	place
	property string
	bound    string
	// found is, by strategy and seed, the schedule that showed it, from 1.
	found map[string][]int
	// spent is, by strategy and seed, the processor time of all schedules until then, or of all.
	spent map[string][]time.Duration
	// limit is how many schedules a strategy had.
	limit map[string]int
}

// quantile is the value below which that part of the seeds is.
func (b *bug) quantile(strategy string, part float64) int {
	list := slices.Sorted(slices.Values(b.found[strategy]))
	return list[min(int(part*float64(len(list)-1)+0.5), len(list)-1)]
}

func (b *bug) median(strategy string) int { return b.quantile(strategy, 0.5) }

// cost is the mean processor time until the bug is found: what all seeds took, divided by how many found
// it. It is at least that if none did.
func (b *bug) cost(strategy string) (mean time.Duration, atLeast bool) {
	found := 0
	for i, d := range b.spent[strategy] {
		mean += d
		if b.found[strategy][i] != none {
			found++
		}
	}
	return mean / time.Duration(max(found, 1)), found == 0
}

// atLeast is the median, or how many schedules did not reach it.
func (b *bug) atLeast(strategy string) int { return min(b.median(strategy), b.limit[strategy]) }

// bench is a measurement.
type bench struct {
	worker     explore.Worker
	jobs       int
	seeds      int
	strategies []string
	bounds     bool
	progress   func(string)
}

// measure searches one cell with all strategies.
func (b *bench) measure(ctx context.Context, c place) ([]*bug, error) {
	resolved, err := c.resolve()
	if err != nil {
		return nil, err
	}
	var bugs []*bug
	for _, p := range c.properties {
		b.progress(c.String() + ": the smallest bound of " + p)
		bound, err := b.smallestBound(ctx, resolved, p)
		if err != nil {
			return nil, err
		}
		bugs = append(bugs, &bug{place: c, property: p, bound: bound, found: map[string][]int{}, spent: map[string][]time.Duration{}, limit: map[string]int{}})
	}
	median := 0
	order := slices.Clone(b.strategies)
	slices.SortStableFunc(order, func(x, y string) int {
		return cmp.Compare(rank(x), rank(y))
	})
	for _, strategy := range order {
		b.progress(c.String() + ": " + strategy)
		limit := most
		if rank(strategy) > 0 && slices.Contains(b.strategies, explore.PortfolioStrategy) {
			limit = others(strategy, median)
		}
		found, err := b.seedsOf(ctx, resolved.Encode(), c.properties, strategy, limit)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", c, strategy, err)
		}
		slowest := 0
		for i, bug := range bugs {
			for _, seed := range found {
				bug.found[strategy] = append(bug.found[strategy], seed[i].schedule)
				bug.spent[strategy] = append(bug.spent[strategy], seed[i].spent)
			}
			bug.limit[strategy] = limit
			slowest = max(slowest, min(bug.median(strategy), most))
		}
		if strategy == explore.PortfolioStrategy {
			median = slowest
		}
	}
	return bugs, nil
}

// rank puts the portfolio first.
func rank(strategy string) int {
	if strategy == explore.PortfolioStrategy {
		return 0
	}
	return 1
}

// seedsOf searches with every seed, and answers when each found each property.
func (b *bench) seedsOf(ctx context.Context, cell []byte, properties []string, strategy string, limit int) ([][]first, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	found := make([][]first, b.seeds)
	next := make(chan int)
	var hands sync.WaitGroup
	for range b.jobs {
		hands.Go(func() {
			h := explore.Hand{Worker: b.worker}
			defer h.Close()
			var err error
			if _, err = search(ctx, &h, explore.Request{Cell: cell, Count: 1}, properties); err != nil { // starts the process, which is not counted
				cancel(err)
			}
			for seed := range next {
				q := explore.Request{Cell: cell, Strategy: strategy, Seed: uint64(seed) + 1, Count: limit}
				if found[seed], err = search(ctx, &h, q, properties); err != nil {
					cancel(err)
				}
			}
		})
	}
	for seed := range b.seeds {
		select {
		case next <- seed:
		case <-ctx.Done():
		}
	}
	close(next)
	hands.Wait()
	return found, context.Cause(ctx)
}

// first is the schedule that first showed a property's violation, from 1, and what it took.
type first struct {
	schedule int
	spent    time.Duration
}

// search is one seed's search.
func search(ctx context.Context, h *explore.Hand, q explore.Request, properties []string) ([]first, error) {
	found := slices.Repeat([]first{{schedule: none}}, len(properties))
	var spent time.Duration
	var trouble *explore.Trouble
	err := h.Do(ctx, q, func(r explore.Result) bool {
		if r.Trouble != nil {
			trouble = r.Trouble
			return false
		}
		spent += r.Spent
		more := false
		for i, p := range properties {
			if f := &found[i]; f.schedule == none {
				f.spent = spent
				if r.Violates(p) {
					f.schedule = r.Schedule + 1
				}
				more = more || f.schedule == none
			}
		}
		return more
	})
	if err == nil && trouble != nil {
		err = fmt.Errorf("seed %d, schedule %d: %s\n%s", q.Seed, trouble.Schedule, trouble.Reason, trouble.Stack)
	}
	return found, err
}
