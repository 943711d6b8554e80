package builtin

import (
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/expect"
)

// pullExpectations are those of the production lock.
var pullExpectations = []expect.Expectations{
	{Lock: "pull", Reason: "It knows its own record and its end and cleans up, so nothing is a fault of its own; a store that forgets gives it two holders, and a pause between the look at the end and the access an overrun.", In: likePull},
	{Lock: "pull-renew", Reason: "It is pull; that it is renewed changes nothing for a holder that is paused, whose renewals are paused as well.", In: append(slices.Clip(likePull),
		expect.Expectation{Scenario: "watchdog-late", May: expect.Limits(overruns), Reason: "It asks again before the lease is over, so that one late request seldom costs it; if it does, the holder may be in an access."})},
	{Lock: "pull-hotspot", Reason: "It is pull; the gate in the process lets fewer ask, and decides nothing: who has come through it and fails gives it back.", In: likePull},
}

// likePull is what is expected of a lease that tells its end.
var likePull = []expect.Expectation{
	{Scenario: "failover-loss", Must: expect.Limits(twoLeases), May: expect.Limits(harm)},
	{Scenario: "gc-pause", Must: expect.Limits(overruns), May: expect.Limits(harm)},
	{Scenario: "two-step-release", Must: expect.Limits(overruns), May: expect.Limits(harm), Reason: "An access is held back on its way to the resource until the lease is over."},
	{Scenario: "partition", Must: expect.Limits(twoLeases), May: expect.Limits(harm)},
	{Scenario: "node-restart", Must: expect.Limits(twoLeases), May: expect.Limits(harm)},
	{Scenario: "server-clock-jump", Must: expect.Limits(twoLeases), May: expect.Limits(harm)},
	{Scenario: "lost-reply", Settings: expect.Set("weak=1"), Must: unthanked, Reason: doneAlready},
	{Scenario: "hung-node", Settings: expect.Set("weak=1"), Must: lateKey, Reason: askedTwice},
	{Scenario: "late-request", Settings: expect.Set("rounds=12", "weak=1"), Must: lateKey, Reason: "A request for the lock is executed when that has been released; the others must want it still."},
	{Scenario: "late-reply", Vacuous: true, Reason: "An Acquire whose answer comes when the lease is over does not succeed, and that one does is what the scenario is about."},
}

var overruns = expect.Faults(checker.Overrun)
