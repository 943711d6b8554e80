package builtin

import (
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/expect"
)

// severalExpectations are those of the locks on several servers.
var severalExpectations = []expect.Expectations{
	{Lock: "redlock", Reason: "A minority of servers that fail, hang or forget is no harm; a bare majority of which one forgets is none any more.", In: []expect.Expectation{
		{Scenario: "failover-loss", May: expect.Limits(twoLeases, harm)},
		{Scenario: "gc-pause", Must: expect.Limits(overruns), May: expect.Limits(harm)},
		{Scenario: "two-step-release", Must: expect.Limits(overruns), May: expect.Limits(harm), Reason: "An access is held back on its way to the resource until the lease is over."},
		{Scenario: "lost-reply", Settings: expect.Set("weak=1"), Must: unthanked, Reason: doneAlready},
		{Scenario: "partition", May: expect.Limits(twoLeases, harm)},
		{Scenario: "node-restart", Must: expect.Limits(twoLeases), May: expect.Limits(harm)},
		{Scenario: "server-clock-jump", Must: expect.Limits(twoLeases), May: expect.Limits(harm)},
		{Scenario: "storm", May: expect.Limits(gaps), Reason: "One of a bare majority forgets or its clock jumps, and a late request takes another server before the lease is extended."},
	}},
	{Lock: "redlock-replicated", Reason: "It is redlock; its servers' replicas make it stand longer, and forget like those of any other lock, so that of two servers of three one is soon a bare majority's.", In: []expect.Expectation{
		{Scenario: "failover-loss", Settings: expect.Set("failovers=2", "late-replies=2"), Must: expect.Limits(twoLeases), May: expect.Limits(gaps, harm), Reason: "A late answer leaves it with two servers of three, and one of these fails over to a replica that has not heard of the lock; with one failover and nothing late that takes some thousand schedules. When two servers have forgotten it and the third is late, it is whole again before it is extended."},
		{Scenario: "gc-pause", Must: expect.Limits(overruns), May: expect.Limits(harm)},
		{Scenario: "two-step-release", Must: expect.Limits(overruns), May: expect.Limits(harm), Reason: "An access is held back on its way to the resource until the lease is over."},
		{Scenario: "lost-reply", Settings: expect.Set("weak=1"), Must: unthanked, Reason: doneAlready},
		{Scenario: "partition", Must: expect.Limits(twoLeases), May: expect.Limits(harm)},
		{Scenario: "node-restart", Must: expect.Limits(twoLeases), May: expect.Limits(harm)},
		{Scenario: "server-clock-jump", Must: expect.Limits(twoLeases), May: expect.Limits(harm)},
		{Scenario: "storm", May: expect.Limits(gaps), Reason: "One of a bare majority forgets or its clock jumps, and a late request takes another server before the lease is extended."},
	}},
	{Lock: "multi", Reason: "Who wants the same locks meets his rival at each of them, so that two holders need both servers to forget; but a lease that says it has all of them is not honest when one has forgotten, and nothing helps against a pause after the look at its end.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: expect.Limits(dishonest)},
		{Scenario: "gc-pause", Must: expect.Limits(overruns), May: expect.Limits(harm)},
		{Scenario: "two-step-release", Must: expect.Limits(overruns), May: expect.Limits(harm), Reason: "An access is held back on its way to the resource until the lease is over."},
		{Scenario: "lost-reply", Settings: expect.Set("weak=1"), Must: unthanked, Reason: doneAlready},
		{Scenario: "hung-node", Settings: expect.Set("weak=1"), Must: expect.All(unthanked, lateKey), Reason: askedTwice},
		{Scenario: "late-request", May: leftKey, Reason: "A request that an earlier try has given up is executed when the release has begun, which is late as well."},
		{Scenario: "partition", Must: expect.Limits(dishonest), May: expect.Limits(harm)},
		{Scenario: "node-restart", Must: expect.Limits(dishonest)},
		{Scenario: "server-clock-jump", Must: expect.Limits(dishonest)},
		{Scenario: "storm", May: expect.Limits(twoHolders[:1]), Reason: "Who waits for a late access, by a clock that runs slow, believes in his leases when they are over on all servers."},
	}},
}

// flawedSeveralExpectations are those of the locks on several servers that are
// here to be caught.
var flawedSeveralExpectations = []expect.Expectations{
	{Lock: "redlock-unchecked", Reason: "It is redlock in the hands of those who take Acquire's word for good: whatever outlives the lease gives it two holders, and no clock of the holder's matters.", In: []expect.Expectation{
		{Scenario: "failover-loss", May: expect.Limits(bothWrite)},
		{Scenario: "gc-pause", Must: expect.Limits(bothWrite)},
		{Scenario: "two-step-release", Must: expect.Limits(bothWrite), Vacuous: true, Reason: "A read of the resource is held back until the lease is over; the release itself is one step."},
		{Scenario: "late-reply", Vacuous: true, Reason: "An Acquire whose answers come when the lease is over does not succeed, and that one does is what the scenario is about."},
		{Scenario: "partition", May: expect.Limits(bothWrite)},
		{Scenario: "node-restart", Must: expect.Limits(bothWrite)},
		{Scenario: "server-clock-jump", Must: expect.Limits(bothWrite)},
	}},
	{Lock: "redlock-multi", Reason: "It does not look at how old its leases are when it has a majority of them, nor says until when they last, so what is late gives it two holders; its release reports success whatever the servers say; and a request whose caller has gone is not undone.", In: []expect.Expectation{
		{Scenario: "failover-loss", May: expect.Either(untold, tooLate)},
		{Scenario: "gc-pause", Must: expect.Limits(untold), May: expect.All(tooLate, bothWrite)},
		{Scenario: "two-step-release", Must: expect.Limits(untold), May: expect.All(lateTwo, leftKey), Reason: "A request or an answer is held back until the leases are over."},
		{Scenario: "late-reply", Must: expect.All(untold, tooLate), May: expect.Limits(bothWrite), Reason: "It counts an answer that comes when the lease is over."},
		{Scenario: "late-request", Must: expect.All(untold, tooLate), May: expect.Limits(bothWrite), Reason: "While it waits for the last server's answer the others' leases run out."},
		{Scenario: "hung-node", Must: expect.All(untold, tooLate), May: expect.Limits(bothWrite), Reason: "While it waits for the server that hangs the others' leases run out."},
		{Scenario: "partition", Must: expect.Limits(untold), May: expect.All(lateTwo, leftKey)},
		{Scenario: "node-restart", Must: expect.Faults(checker.TruthfulRelease), May: expect.Either(bothWrite, tooLate)},
		{Scenario: "server-clock-jump", Must: expect.Faults(checker.TruthfulRelease), May: expect.Either(bothWrite, tooLate)},
		{Scenario: "watchdog-late", Must: expect.All(tooLate, expect.Faults(checker.TruthfulRelease)), May: expect.Either(bothWrite), Reason: "The leases are so short that they are over when the last server has answered."},
		{Scenario: "cancel", Must: leftKey},
	}},
}

var (
	// The store does not have what a lease says.
	dishonest = expect.Faults(checker.LeaseHonesty)
	// A lease is extended that was not held all the time.
	gaps = expect.Faults(checker.TruthfulExtend)
	// Two holders who are not told at their release.
	untold = expect.All(bothWrite, expect.Faults(checker.TruthfulRelease))
)
