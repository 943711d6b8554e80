package scenarios

import "github.com/lockpick-dev/lockpick/checker"

// severalExpectations are those of the locks on several servers.
var severalExpectations = []Expectations{
	{"redlock", "A minority of servers that fail, hang or forget is no harm; a bare majority of which one forgets is none any more.", []Expectation{
		{Scenario: "failover-loss", May: limits(twoLeases, harm)},
		{Scenario: "gc-pause", Must: limits(overruns), May: limits(harm)},
		{Scenario: "two-step-release", Must: limits(overruns), May: limits(harm), Reason: "An access is held back on its way to the resource until the lease is over."},
		{Scenario: "lost-reply", Settings: set("weak=1"), Must: unthanked, Reason: doneAlready},
		{Scenario: "partition", May: limits(twoLeases, harm)},
		{Scenario: "node-restart", Must: limits(twoLeases), May: limits(harm)},
		{Scenario: "server-clock-jump", Must: limits(twoLeases), May: limits(harm)},
		{Scenario: "storm", May: limits(gaps), Reason: "One of a bare majority forgets or its clock jumps, and a late request takes another server before the lease is extended."},
	}},
	{"redlock-replicated", "It is redlock; its servers' replicas make it stand longer, and forget like those of any other lock, so that of two servers of three one is soon a bare majority's.", []Expectation{
		{Scenario: "failover-loss", Settings: set("failovers=2", "late-replies=2"), Must: limits(twoLeases), May: limits(gaps, harm), Reason: "A late answer leaves it with two servers of three, and one of these fails over to a replica that has not heard of the lock; with one failover and nothing late that takes some thousand schedules. When two servers have forgotten it and the third is late, it is whole again before it is extended."},
		{Scenario: "gc-pause", Must: limits(overruns), May: limits(harm)},
		{Scenario: "two-step-release", Must: limits(overruns), May: limits(harm), Reason: "An access is held back on its way to the resource until the lease is over."},
		{Scenario: "lost-reply", Settings: set("weak=1"), Must: unthanked, Reason: doneAlready},
		{Scenario: "partition", Must: limits(twoLeases), May: limits(harm)},
		{Scenario: "node-restart", Must: limits(twoLeases), May: limits(harm)},
		{Scenario: "server-clock-jump", Must: limits(twoLeases), May: limits(harm)},
		{Scenario: "storm", May: limits(gaps), Reason: "One of a bare majority forgets or its clock jumps, and a late request takes another server before the lease is extended."},
	}},
	{"multi", "Who wants the same locks meets his rival at each of them, so that two holders need both servers to forget; but a lease that says it has all of them is not honest when one has forgotten, and nothing helps against a pause after the look at its end.", []Expectation{
		{Scenario: "failover-loss", Must: limits(dishonest)},
		{Scenario: "gc-pause", Must: limits(overruns), May: limits(harm)},
		{Scenario: "two-step-release", Must: limits(overruns), May: limits(harm), Reason: "An access is held back on its way to the resource until the lease is over."},
		{Scenario: "lost-reply", Settings: set("weak=1"), Must: unthanked, Reason: doneAlready},
		{Scenario: "hung-node", Settings: set("weak=1"), Must: all(unthanked, lateKey), Reason: askedTwice},
		{Scenario: "late-request", May: leftKey, Reason: "A request that an earlier try has given up is executed when the release has begun, which is late as well."},
		{Scenario: "partition", Must: limits(dishonest), May: limits(harm)},
		{Scenario: "node-restart", Must: limits(dishonest)},
		{Scenario: "server-clock-jump", Must: limits(dishonest)},
		{Scenario: "storm", May: limits(twoHolders[:1]), Reason: "Who waits for a late access, by a clock that runs slow, believes in his leases when they are over on all servers."},
	}},
}

// flawedSeveralExpectations are those of the locks on several servers that are
// here to be caught.
var flawedSeveralExpectations = []Expectations{
	{"redlock-unchecked", "It is redlock in the hands of those who take Acquire's word for good: whatever outlives the lease gives it two holders, and no clock of the holder's matters.", []Expectation{
		{Scenario: "failover-loss", May: limits(bothWrite)},
		{Scenario: "gc-pause", Must: limits(bothWrite)},
		{Scenario: "two-step-release", Must: limits(bothWrite), Vacuous: true, Reason: "A read of the resource is held back until the lease is over; the release itself is one step."},
		{Scenario: "late-reply", Vacuous: true, Reason: "An Acquire whose answers come when the lease is over does not succeed, and that one does is what the scenario is about."},
		{Scenario: "partition", May: limits(bothWrite)},
		{Scenario: "node-restart", Must: limits(bothWrite)},
		{Scenario: "server-clock-jump", Must: limits(bothWrite)},
	}},
	{"redlock-multi", "It does not look at how old its leases are when it has a majority of them, nor says until when they last, so what is late gives it two holders; its release reports success whatever the servers say; and a request whose caller has gone is not undone.", []Expectation{
		{Scenario: "failover-loss", May: eitherClass(untold, tooLate)},
		{Scenario: "gc-pause", Must: limits(untold), May: all(tooLate, bothWrite)},
		{Scenario: "two-step-release", Must: limits(untold), May: all(lateTwo, leftKey), Reason: "A request or an answer is held back until the leases are over."},
		{Scenario: "late-reply", Must: all(untold, tooLate), May: limits(bothWrite), Reason: "It counts an answer that comes when the lease is over."},
		{Scenario: "late-request", Must: all(untold, tooLate), May: limits(bothWrite), Reason: "While it waits for the last server's answer the others' leases run out."},
		{Scenario: "hung-node", Must: all(untold, tooLate), May: limits(bothWrite), Reason: "While it waits for the server that hangs the others' leases run out."},
		{Scenario: "partition", Must: limits(untold), May: all(lateTwo, leftKey)},
		{Scenario: "node-restart", Must: asFaults(checker.TruthfulRelease), May: eitherClass(bothWrite, tooLate)},
		{Scenario: "server-clock-jump", Must: asFaults(checker.TruthfulRelease), May: eitherClass(bothWrite, tooLate)},
		{Scenario: "watchdog-late", Must: all(tooLate, asFaults(checker.TruthfulRelease)), May: eitherClass(bothWrite), Reason: "The leases are so short that they are over when the last server has answered."},
		{Scenario: "cancel", Must: leftKey},
	}},
}

var (
	// The store does not have what a lease says.
	dishonest = asFaults(checker.LeaseHonesty)
	// A lease is extended that was not held all the time.
	gaps = asFaults(checker.TruthfulExtend)
	// Two holders who are not told at their release.
	untold = all(bothWrite, asFaults(checker.TruthfulRelease))
)
