package simrun

import (
	"context"
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// checkCmd searches exhaustively.
type checkCmd struct {
	Bound       int    `default:"2" help:"How many deviations from the calm run a schedule may have (default ${default})." placeholder:"K"`
	Limit       int    `default:"${limit}" help:"Do not begin a bound that needs more schedules in all than this (default ${default})." placeholder:"N"`
	Plain       bool   `help:"Run all schedules, including those that differ only in the order of independent events."`
	Certificate string `help:"Write a certificate to this file if the bound is exhausted and no fault was found; the program recheck verifies it." placeholder:"FILE"`
	searchFlags
}

// maxBound is far above any bound that can be searched.
const maxBound = 20

// Validate checks what kong cannot.
func (c *checkCmd) Validate() error {
	switch {
	case c.Bound < 0 || c.Bound > maxBound:
		return fmt.Errorf("--bound=%d: want 0 to %d", c.Bound, maxBound)
	case c.Limit < 1:
		return fmt.Errorf("--limit=%d: want at least 1", c.Limit)
	}
	if shard, _ := askedShard(c.Shard); shard.Of > 1 && c.Certificate != "" {
		return fmt.Errorf("--certificate: a shard has not searched everything: leave out --certificate or --shard")
	}
	return c.validate()
}

// Run searches.
func (c *checkCmd) Run(ctx context.Context, a *app) error {
	if err := command.Writable(c.Certificate); err != nil {
		return usageError{err}
	}
	c.certificate = c.Certificate
	return c.search(ctx, a, identity{Kind: checkKind, Bound: c.Bound, Limit: c.Limit, Plain: c.Plain})
}

// planning follows the plan of a check.
type planning struct {
	*session
	plan  explore.Plan
	done  int // schedules
	said  bool
	last  int // the last bound that was reported
	shown time.Time
}

// next takes a new plan. It reports that the bound is out of reach as soon as that is certain, or if certainty would take
// long, and reports any change.
func (p *planning) next(plan explore.Plan) {
	p.plan = plan
	const soon = 1000 // schedules
	switch {
	case p.merging:
		return
	case p.said && plan.Last == p.last, !p.said && plan.Last == p.id.Bound:
		return
	case !plan.Settled && plan.Sizes[1] < soon:
		return
	}
	p.said, p.last = true, plan.Last
	p.live.clear()
	if plan.Last == p.id.Bound {
		fmt.Fprintf(p.app.err, "simrun: bound %d fits --limit after all\n", plan.Last)
		return
	}
	fmt.Fprintf(p.app.err, "simrun: bound %d is %s, and --limit is %s: %s\n", p.id.Bound, p.price(), wording.Grouped(p.id.Limit), willSearch(plan.Last))
}

// price describes the cost of the requested bound.
func (p *planning) price() string {
	total := 0.0
	for _, size := range p.plan.Sizes {
		total += size
	}
	text := estimate(total) + " schedules"
	if len(p.plan.Sizes) > p.plan.Bound+1 {
		text = "about " + text
	}
	if rate := p.live.rate(p.done); rate > 0 && p.done > 20 && !p.Stable {
		text += fmt.Sprintf(", about %s at the current rate", roughly(total/rate))
	}
	return text
}

func willSearch(last int) string {
	if last == 0 {
		return "only the calm run will be searched"
	}
	return fmt.Sprintf("bounds 0 to %d will be searched", last)
}

// progress shows the progress of the check.
func (p *planning) progress(s *explore.CheckSummary) {
	p.done = s.Schedules
	p.live.rate(p.done)
	if !p.live.on || time.Since(p.shown) < 50*time.Millisecond {
		return
	}
	p.shown = time.Now()
	bound := min(len(s.Levels), len(p.plan.Sizes)-1)
	here := s.Schedules
	for _, l := range s.Levels {
		here -= l.Schedules
	}
	left := p.share(bound) - float64(here)
	for b := bound + 1; b <= p.plan.Last; b++ {
		left += p.share(b)
	}
	p.live.searched(fmt.Sprintf("bound %d of %d: %s of %s", bound, p.id.Bound, wording.Grouped(here), schedules(int(p.share(bound)))),
		p.live.pace(s.Schedules, max(left, 0)), classes(len(s.Orders))+" of orders, "+wording.GroupedCount(len(s.Violations), "finding"))
}

// share estimates this shard's number of schedules of a bound.
func (p *planning) share(bound int) float64 {
	if p.shard.Of > 1 {
		return p.plan.Sizes[bound] / float64(p.shard.Of)
	}
	return p.plan.Sizes[bound]
}
