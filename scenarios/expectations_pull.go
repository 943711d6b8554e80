package scenarios

import (
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
)

// pullExpectations are those of the production lock.
var pullExpectations = []Expectations{
	{"pull", "It knows its own record and its end and cleans up, so nothing is a fault of its own; a store that forgets gives it two holders, and a pause between the look at the end and the access an overrun.", likePull},
	{"pull-renew", "It is pull; that it is renewed changes nothing for a holder that is paused, whose renewals are paused as well.", append(slices.Clip(likePull),
		Expectation{Scenario: "watchdog-late", May: limits(overruns), Reason: "It asks again before the lease is over, so that one late request seldom costs it; if it does, the holder may be in an access."})},
	{"pull-hotspot", "It is pull; the gate in the process lets fewer ask, and decides nothing: who has come through it and fails gives it back.", likePull},
}

// likePull is what is expected of a lease that tells its end.
var likePull = []Expectation{
	{Scenario: "failover-loss", Must: limits(twoLeases), May: limits(harm)},
	{Scenario: "gc-pause", Must: limits(overruns), May: limits(harm)},
	{Scenario: "two-step-release", Must: limits(overruns), May: limits(harm), Reason: "An access is held back on its way to the resource until the lease is over."},
	{Scenario: "partition", Must: limits(twoLeases), May: limits(harm)},
	{Scenario: "node-restart", Must: limits(twoLeases), May: limits(harm)},
	{Scenario: "server-clock-jump", Must: limits(twoLeases), May: limits(harm)},
	{Scenario: "lost-reply", Settings: set("weak=1"), Must: unthanked, Reason: doneAlready},
	{Scenario: "hung-node", Settings: set("weak=1"), Must: lateKey, Reason: askedTwice},
	{Scenario: "late-request", Settings: set("rounds=12", "weak=1"), Must: lateKey, Reason: "A request for the lock is executed when that has been released; the others must want it still."},
	{Scenario: "late-reply", Vacuous: true, Reason: "An Acquire whose answer comes when the lease is over does not succeed, and that one does is what the scenario is about."},
}

var overruns = asFaults(checker.Overrun)
