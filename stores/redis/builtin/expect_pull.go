package builtin

import (
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

// pullExpectations are those of the production lock.
var pullExpectations = []expect.Expectations{
	{Lock: "pull", Reason: "It knows its own record and its end, and cleans up, so it has no faults. A store that loses data gives it two holders; a pause between the check of the end and the access causes an overrun.", In: likePull},
	{Lock: "pull-renew", Reason: "It is pull. Renewal does not help a paused holder, whose renewals are paused as well.", In: append(slices.Clip(likePullRenewed),
		expect.Expectation{Scenario: "watchdog-late", May: expect.Limits(overruns), Reason: "It retries before the lease is over, so that one late request seldom costs the lease. If it does, the holder may be in an access."})},
	{Lock: "pull-hotspot", Reason: "It is pull. The gate in the process only reduces requests: a thread that passes it and fails gives it back.", In: likePull},
	{Lock: "pull-hotspot-names", Reason: "It is pull-hotspot. Other names have no gate.", In: likePullOfMany},
}

// likePull are the expectations of a lease that reports its end.
var likePull = []expect.Expectation{
	{Scenario: "failover-loss", Must: expect.Limits(twoLeases), May: expect.Limits(harm)},
	{Scenario: "gc-pause", Must: expect.Limits(overruns), May: expect.Limits(harm)},
	{Scenario: "two-step-release", Must: expect.Limits(overruns), May: expect.Limits(harm), Reason: "An access is delayed on its way to the resource until the lease is over."},
	{Scenario: "partition", Must: expect.Limits(twoLeases), May: expect.Limits(harm)},
	{Scenario: "node-restart", Must: expect.Limits(twoLeases), May: expect.Limits(harm)},
	{Scenario: "server-clock-jump", Must: expect.Limits(twoLeases), May: expect.Limits(harm)},
	{Scenario: "lost-reply", Settings: expect.Set("weak=1"), Must: unthanked, Reason: doneAlready},
	{Scenario: "hung-node", Settings: expect.Set("weak=1"), Must: lateKey, Reason: askedTwice},
	{Scenario: "late-request", Settings: expect.Set("rounds=12", "sizes=0", "weak=1"), Must: lateKey, Reason: "A request for the lock is executed after the release, while other clients still want the lock."},
	{Scenario: "late-reply", Vacuous: true, Reason: "An Acquire whose answer arrives after the lease does not succeed, so the scenario's happening does not occur."},
}

// likePullOfMany is likePull for processes that lock other names before, so that a pause strikes less often while they
// hold the lock.
var likePullOfMany = func() []expect.Expectation {
	list := slices.Clone(likePull)
	for i := range list {
		if e := &list[i]; e.Scenario == "gc-pause" {
			e.May, e.Must = expect.All(e.Must, e.May), nil
		}
	}
	return list
}()

// likePullRenewed is likePull for a holder whose renewal finds nothing after a restart: it may learn that while its
// access is on the way.
var likePullRenewed = func() []expect.Expectation {
	list := slices.Clone(likePull)
	for i := range list {
		if e := &list[i]; e.Scenario == "node-restart" {
			e.May = expect.All(e.May, expect.Limits(overruns))
		}
	}
	return list
}()

var overruns = expect.Faults(checker.Overrun)
