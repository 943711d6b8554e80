package scenarios

import (
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
)

// bridgeLimits marks limits by the budget of faults, as long as the checker does
// not say by the cause which violations are limits. BRIDGE: delete this file and
// its call in [Cell.Run] when the checker does; nothing else goes by the budget.
func bridgeLimits(c Cell, verdicts []model.Verdict) {
	limits := bridgedLimits(c.Params, c.Lock.Spec.Kind)
	for i := range verdicts {
		v := &verdicts[i]
		v.Limit = v.Status == model.Violated && slices.Contains(limits, v.Property)
	}
}

// bridgeExpectation is what is expected in a scenario of a lock that needs no fault
// to be violated, by the same rule. BRIDGE: with the causes of the checker all of it
// is a fault in every scenario; call it no more.
func bridgeExpectation(s *Scenario, e Expectation) Expectation {
	ids := bridgedLimits(s.Params, "")
	by := func(list []model.Violation) (out []model.Violation) {
		for _, v := range list {
			out = append(out, model.Violation{Property: v.Property, Limit: slices.Contains(ids, v.Property)})
		}
		return out
	}
	e.Must, e.May = by(e.Must), by(e.May)
	return e
}

// bridgedLimits are the properties whose violations are limits under the budget.
func bridgedLimits(p Params, kind model.Kind) []string {
	forgets := p.Failovers+p.Partitions+p.Restarts > 0
	clocks := p.Skews+p.ClockJumps+p.ServerClockJumps > 0
	var limits []string
	if forgets || clocks || p.Pauses+p.Delays+p.LateReplies+p.LateRequests+p.Hangs > 0 {
		limits = append(limits, checker.MutualExclusion, checker.Linearizable, checker.NoLostUpdate, checker.Overrun)
	}
	if forgets {
		limits = append(limits, checker.Fencing)
	}
	if forgets || clocks {
		limits = append(limits, checker.LeaseHonesty)
	}
	lasting := []model.Kind{model.KindSemaphore, model.KindLatch, model.KindBarrier, model.KindStock}
	if forgets && slices.Contains(lasting, kind) {
		limits = append(limits, checker.Progress)
	}
	return limits
}
