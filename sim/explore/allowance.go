package explore

// Budgets for shrinking and attribution count events, because an event takes about the
// same time in every scenario, while a run of one scenario may take a hundred times as
// long as a run of another. No clock is used, so results are the same on every machine.

const (
	// perSecond is the number of events that an ordinary core makes in a second.
	perSecond = 300_000
	// least is the smallest budget, that of a short search: ten seconds of one
	// core.
	least = 10 * perSecond
	// unfinishedCost is the cost in events of a run that did not finish: waiting for it
	// takes a second or more.
	unfinishedCost = perSecond
)

// Allowance is the budget, in events, for shrinking and attributing the findings of a search: as many
// events as the search itself has, or ten seconds' worth if that is more.
type Allowance struct{ events int64 }

// NewAllowance returns the allowance of a search of the given number of schedules. It assumes
// that each run has as many events as the first finding.
func NewAllowance(events int64, schedules int) Allowance {
	return Allowance{max(events*int64(schedules), least)}
}

// Share returns the number of events for the n-th finding of the search, from 0: two thirds of the
// allowance for the first, half of that for the second, a third of it for the third and so on; for
// a limit half as many. A share does not depend on the work on other findings, so a finding shrinks
// to the same result whichever others are shrunk. All shares together are at most a few times the
// allowance.
func (a Allowance) Share(n int, limit bool) int64 {
	share := a.events * 2 / 3 / int64(n+1)
	if limit {
		share /= 2
	}
	return max(share, 1)
}

// ToShrink returns the part of a share for shrinking. The rest is for attribution.
func ToShrink(share int64) int64 { return max(share*3/4, 1) }

// projected returns the largest number of runs to expect: most, or fewer if at the
// present rate the budget of events (0: none) ends before.
func projected(runs, most int, spent, events int64) int {
	if events == 0 || spent == 0 {
		return most
	}
	return min(most, max(runs, int(int64(runs)*events/spent)))
}
