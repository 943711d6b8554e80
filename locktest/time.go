package locktest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/internal/wording"
)

// timeBudget divides the processor time of a call of Check among its scenarios, in equal shares: two thirds of each for
// searching and one for shrinking and explaining findings. A search that needs more takes the time that earlier ones left,
// and all but half a share of each later scenario. Shrinking has its shares of the scenarios so far, and half of the time
// that their searches left except for two shares, which are reserved for a scenario whose runs are long.
type timeBudget struct {
	all time.Duration
	// spent returns the time used so far, reduced the part of it used for shrinking and explaining.
	spent, reduced func() time.Duration
	// scenarios is the number of scenarios, begun the number of those whose search has begun.
	scenarios, begun int
}

// reducing is the denominator of the share of time for shrinking and explaining.
const reducing = 3

// shares returns a scenario's shares.
func (p *timeBudget) shares() (search, reduce time.Duration) {
	one := p.all / time.Duration(max(p.scenarios, 1))
	return one - one/reducing, one / reducing
}

// left returns the time left, except for half a share of each later scenario.
func (p *timeBudget) left() time.Duration {
	search, reduce := p.shares()
	return p.all - p.spent() - (search+reduce)/2*time.Duration(max(p.scenarios-p.begun, 0))
}

// forSearch returns the time for the search of the next scenario: at least a quarter of a share.
func (p *timeBudget) forSearch() time.Duration {
	p.begun++
	search, _ := p.shares()
	return max(p.left(), search/4)
}

// forReducing returns the time for the next finding: half of what is left, and at least an eighth of a share.
func (p *timeBudget) forReducing() time.Duration {
	search, reduce := p.shares()
	reduced := p.reduced()
	saved := search*time.Duration(p.begun-2) - (p.spent() - reduced)
	own := reduce*time.Duration(p.begun) - reduced + max(saved, 0)/2
	return max(min(own, p.left())/2, reduce/8)
}

// newTimeBudget returns the budget of a call, nil if there is no limit.
func (x *session) newTimeBudget() *timeBudget {
	if x.time == 0 {
		return nil
	}
	return &timeBudget{all: x.time, spent: x.worker.Meter.Spent, reduced: x.reduced.Spent, scenarios: x.toSearch()}
}

// toSearch returns the number of scenarios to search.
func (x *session) toSearch() (n int) {
	for _, s := range x.scenarios() {
		if c, err := x.cell(s); err == nil && c.Lacks() == "" && x.selected[s.ID] {
			n++
		}
	}
	return n
}

// wallBudget is the time of a call of Check by the clock on the wall: each scenario has an equal share of the rest.
type wallBudget struct {
	end       time.Time
	scenarios int // those that are not begun
}

// next returns when the search of the next scenario ends, and when shrinking its findings ends.
func (b *wallBudget) next() (search, reduce time.Time) {
	now := time.Now()
	share := max(b.end.Sub(now), 0) / time.Duration(max(b.scenarios, 1))
	b.scenarios--
	return now.Add(share - share/reducing), now.Add(share)
}

// cutText describes how far a search got whose time ended.
func (x *session) cutText(r *Result) string {
	what := "none found in them"
	if len(r.violated) > 0 {
		what = "violations were found in them"
	}
	return fmt.Sprintf("%s: the time ended after %d of %s; %s", r.Scenario, r.Schedules, wording.Count(x.schedules(r.Scenario), "schedule"), what)
}

// cutReport describes the scenarios whose time ended before all schedules were run, and how to search the rest; it returns
// nil if there are none.
func (x *session) cutReport() []string {
	if len(x.cut) == 0 {
		return nil
	}
	of := fmt.Sprintf("processor time of this call (%v)", x.time)
	switch {
	case x.wall > 0 && x.time > 0:
		of = fmt.Sprintf("time of this call (%v of processor time, %v by the clock)", x.time, x.wall)
	case x.wall > 0:
		of = fmt.Sprintf("time of this call (%v by the clock)", x.wall)
	}
	lines := []string{fmt.Sprintf("the %s has ended in %d of %s before all schedules were run:",
		of, len(x.cut), wording.Count(len(x.findings.Searched), "scenario"))}
	for _, r := range x.cut {
		lines = append(lines, "  "+x.cutText(r))
	}
	alone := fmt.Sprintf("For the rest run a scenario alone (-run %s)", wording.Shell(gotest.Pattern(x.call.Name+"/"+x.cut[0].Scenario)))
	switch {
	case x.wall > 0:
		return append(lines, alone+", or all with a longer -simrun.time.")
	case x.short() && x.time == ShortTime:
		return append(lines, fmt.Sprintf("%s, or all without -short, or with -simrun.runs=%d, which sets no time.", alone, x.schedules(x.cut[0].Scenario)))
	}
	return append(lines, alone+", or all with more -simrun.time.")
}

// beginning returns the line that is printed with -v when the search of a scenario begins.
func (x *session) beginning(c cell.Cell) string {
	text := wording.Count(x.schedules(c.Scenario.ID), "schedule")
	switch {
	case x.bound != nil:
		text = fmt.Sprintf("all schedules within bound %d", *x.bound)
	case x.enough(c.Scenario.ID) != nil:
		text = "up to " + text
	}
	return fmt.Sprintf("searching %s, %s: %s", c.Scenario.ID, text, c.Summary())
}

// reportCut reports the searches that the time ended.
func (x *session) reportCut(t *testing.T) {
	t.Helper()
	if lines := x.cutReport(); len(lines) > 0 {
		t.Logf("lockpick: %s", strings.Join(lines, "\n"))
	}
}
