package explore

// Budgets of what is done about findings count events, which take about the same
// time in every scenario, where a run of one may take a hundred times as long as
// a run of another. No clock is asked: what comes of it is the same on every
// machine.

const (
	// perSecond is how many events an ordinary core makes in a second.
	perSecond = 300_000
	// least is the budget of what is done about the findings of a short search:
	// ten seconds of one core.
	least = 10 * perSecond
	// noEnd is what a run without a proper end counts for: whoever waits for it
	// waits a second or more.
	noEnd = perSecond
)

// Allowance is how many events it may take to shrink the findings of a search
// and to say what they need: as many as the search itself takes, and no fewer
// than ten seconds' worth. It is not for several goroutines at a time.
type Allowance struct{ left int64 }

// NewAllowance is that of a search of so many schedules, whose runs are taken to
// have as many events as its first finding.
func NewAllowance(events int64, schedules int) *Allowance {
	return &Allowance{max(events*int64(schedules), least)}
}

// Share is how many events the next finding may have: two thirds of what is
// left, or one third if it is a limit, so that there is something for the next.
func (a *Allowance) Share(limit bool) int64 {
	if limit {
		return max(a.left/3, 1)
	}
	return max(a.left*2/3, 1)
}

// ToShrink is the part of a share that is for shrinking. What that leaves is for
// saying what the counterexample needs.
func ToShrink(share int64) int64 { return max(share*3/4, 1) }

// Spend takes away what a finding has had.
func (a *Allowance) Spend(events int64) { a.left = max(a.left-events, 0) }

// projected is how many runs there will be at most, if they go on as those that
// have spent so much of a budget of events (0: there is none).
func projected(runs, most int, spent, events int64) int {
	if events == 0 || spent == 0 {
		return most
	}
	return min(most, max(runs, int(int64(runs)*events/spent)))
}
