package builtin

import (
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

// severalExpectations are those of the locks on several servers.
var severalExpectations = []expect.Expectations{
	{Lock: "redlock", Reason: "A minority of servers that fail, hang or lose data does no harm. A bare majority of which one loses data is no longer a majority.", In: []expect.Expectation{
		{Scenario: "failover-loss", May: expect.Limits(twoLeases, harm)},
		{Scenario: "gc-pause", Must: expect.Limits(overruns), May: expect.Limits(harm)},
		{Scenario: "two-step-release", Must: expect.Limits(overruns), May: expect.Limits(harm), Reason: "An access is delayed on its way to the resource until the lease is over."},
		{Scenario: "lost-reply", Settings: expect.Set("weak=1"), Must: unthanked, Reason: doneAlready},
		{Scenario: "partition", May: expect.Limits(twoLeases, harm)},
		{Scenario: "node-restart", Must: expect.Limits(twoLeases), May: expect.Limits(harm)},
		{Scenario: "server-clock-jump", Must: expect.Limits(twoLeases), May: expect.Limits(harm)},
		lateRenewal,
		{Scenario: "storm", May: expect.Limits(gaps), Reason: "One server of a bare majority loses data or its clock jumps, and a late request takes another server before the lease is extended."},
	}},
	{Lock: "redlock-replicated", Reason: "It is redlock. Its servers' replicas keep it available, but may lack the last writes. If the lock is on two servers of three, one such failover ends its majority.", In: []expect.Expectation{
		{Scenario: "failover-loss", Settings: expect.Set("failovers=2", "late-replies=2"), Must: expect.Limits(twoLeases), May: expect.Limits(gaps, harm), Reason: "A late answer leaves it with two servers of three, and one of these fails over to a replica without the lock. With one failover and nothing late that takes some thousand schedules. If two servers have lost it and the third is late, it is complete again before it is extended."},
		{Scenario: "gc-pause", Must: expect.Limits(overruns), May: expect.Limits(harm)},
		{Scenario: "two-step-release", Must: expect.Limits(overruns), May: expect.Limits(harm), Reason: "An access is delayed on its way to the resource until the lease is over."},
		{Scenario: "lost-reply", Settings: expect.Set("weak=1"), Must: unthanked, Reason: doneAlready},
		{Scenario: "partition", Must: expect.Limits(twoLeases), May: expect.Limits(harm)},
		{Scenario: "node-restart", Must: expect.Limits(twoLeases), May: expect.Limits(harm)},
		{Scenario: "server-clock-jump", Must: expect.Limits(twoLeases), May: expect.Limits(harm)},
		lateRenewal,
		{Scenario: "storm", May: expect.Limits(gaps), Reason: "One server of a bare majority loses data or its clock jumps, and a late request takes another server before the lease is extended."},
	}},
	{Lock: "multi", Reason: "Clients that want the same locks compete at each server, so two holders need both servers to lose data. A lease that claims all servers is not honest when one has lost data, and nothing helps against a pause after the check of its end.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: expect.Limits(dishonest)},
		{Scenario: "gc-pause", Must: expect.Limits(overruns), May: expect.Limits(harm)},
		{Scenario: "two-step-release", Must: expect.Limits(overruns), May: expect.All(expect.Limits(harm), leftKey), Reason: "An access is delayed on its way to the resource until the lease is over. A request of an abandoned try is executed after the release, as in late-request."},
		{Scenario: "lost-reply", Settings: expect.Set("weak=1"), Must: unthanked, Reason: doneAlready},
		{Scenario: "hung-node", Settings: expect.Set("weak=1"), Must: expect.All(unthanked, lateKey), Reason: askedTwice},
		lateRenewal,
		{Scenario: "late-request", May: leftKey, Reason: "A request of an abandoned try is executed after the release has begun, which is late as well."},
		{Scenario: "partition", Must: expect.Limits(dishonest), May: expect.Limits(harm)},
		{Scenario: "node-restart", Must: expect.Limits(dishonest)},
		{Scenario: "server-clock-jump", Must: expect.Limits(dishonest)},
		{Scenario: "pool-exhausted", May: stuck, Reason: "Two processes take the servers in opposite orders. When a thread gives back what it has, so that the other process can go on, the other thread of its own process takes it, for longer than the bound if leases are long. More connections do not help."},
		{Scenario: "storm", May: expect.Limits(twoHolders[:1], gaps), Reason: "A client with a slow clock that waits for a late access believes in its leases when they are over on all servers. A server that has lost its key takes it again from a late request before the lease is extended."},
	}},
}

// shardedExpectations are those of locks on one of several servers.
var shardedExpectations = []expect.Expectations{
	{Lock: "setpx-sharded", Reason: "It is setpx on one server. What befalls the others does not matter, and takes the place of what would befall this one.", In: []expect.Expectation{
		{Scenario: "failover-loss", May: expect.Limits(bothWrite)},
		{Scenario: "gc-pause", Must: expect.Limits(bothWrite)},
		{Scenario: "two-step-release", Must: expect.Limits(bothWrite), May: expect.All(lateTwo, leftKey), Reason: looksAtNoClock + " " + cleansUpNothing},
		{Scenario: "partition", Must: expect.Limits(bothWrite), May: lateTwo},
		{Scenario: "node-restart", Must: expect.Limits(bothWrite)},
		{Scenario: "server-clock-jump", Must: expect.Limits(bothWrite)},
		{Scenario: "late-reply", Must: tooLate, May: expect.Either(bothWrite), Reason: looksAtNoClock},
		{Scenario: "late-request", May: leftKey, Reason: cleansUpNothing},
		{Scenario: "cancel", May: leftKey},
		{Scenario: "watchdog-late", Must: tooLate, May: expect.Either(bothWrite), Reason: notRenewed},
		{Scenario: "lost-wakeup", May: leftKey, Reason: cleansUpNothing},
	}},
}

// flawedSeveralExpectations are those of the locks on several servers that are here to be caught.
var flawedSeveralExpectations = []expect.Expectations{
	{Lock: "setpx-ring", Reason: "A client that finds the server of the lock down takes it from another, which knows nothing of the holder. Otherwise it is setpx.", In: moving},
	{Lock: "redlock-unchecked", Reason: "It is redlock whose holders do not check the end of the lease: anything that outlasts the lease gives it two holders, and the holder's clock does not matter.", In: []expect.Expectation{
		{Scenario: "failover-loss", May: expect.Limits(bothWrite)},
		{Scenario: "gc-pause", Must: expect.Limits(bothWrite)},
		{Scenario: "two-step-release", Must: expect.Limits(bothWrite), Vacuous: true, Reason: "A read of the resource is delayed until the lease is over. The release itself is one step."},
		{Scenario: "late-reply", Vacuous: true, Reason: "An Acquire whose answers arrive after the lease does not succeed, so the scenario's happening does not occur."},
		{Scenario: "partition", May: expect.Limits(bothWrite)},
		{Scenario: "node-restart", Must: expect.Limits(bothWrite)},
		{Scenario: "server-clock-jump", Must: expect.Limits(bothWrite)},
	}},
	{Lock: "redlock-multi", Reason: "It does not check the age of its leases when it has a majority of them, and does not report their end, so any delay gives it two holders. Its release reports success whatever the servers answer. It does not undo the request of a cancelled caller.", In: []expect.Expectation{
		{Scenario: "failover-loss", May: expect.Either(unnoticed, tooLate)},
		{Scenario: "gc-pause", Must: expect.Limits(unnoticed), May: expect.All(tooLate, bothWrite)},
		{Scenario: "two-step-release", Must: expect.Limits(unnoticed), May: expect.All(lateTwo, leftKey), Reason: "A request or an answer is delayed until the leases are over."},
		{Scenario: "late-reply", Must: expect.All(unnoticed, tooLate), May: expect.Limits(bothWrite), Reason: "It counts an answer that arrives after the lease."},
		{Scenario: "late-request", Must: expect.All(unnoticed, tooLate), May: expect.All(expect.Limits(bothWrite), leftKey), Reason: "While it waits for the last server's answer, the leases on the others end. A request of an abandoned try is executed after the release."},
		{Scenario: "hung-node", Must: expect.All(unnoticed, tooLate), May: expect.Limits(bothWrite), Reason: "While it waits for the server that hangs, the leases on the others end."},
		{Scenario: "partition", Must: expect.Limits(unnoticed), May: expect.All(lateTwo, leftKey)},
		{Scenario: "node-restart", Must: expect.Faults(checker.TruthfulRelease), May: expect.Either(bothWrite, tooLate)},
		{Scenario: "server-clock-jump", Must: expect.Faults(checker.TruthfulRelease), May: expect.Either(bothWrite, tooLate)},
		{Scenario: "watchdog-late", Must: expect.All(tooLate, expect.Faults(checker.TruthfulRelease)), May: expect.Either(bothWrite), Reason: "The leases are so short that they end before the last server has answered."},
		{Scenario: "cancel", Must: leftKey},
	}},
}

// moving is what is expected of a lock whose clients look for it on another server.
var moving = []expect.Expectation{
	{Scenario: "failover-loss", May: movedAway},
	{Scenario: "gc-pause", Must: expect.Limits(bothWrite), May: movedAway},
	{Scenario: "two-step-release", Must: expect.Limits(bothWrite), May: movedAway},
	{Scenario: "server-clock-jump", Must: expect.Limits(bothWrite), May: movedAway},
	{Scenario: "lost-reply", May: movedAway},
	{Scenario: "late-reply", May: movedAway},
	{Scenario: "late-request", May: movedAway},
	{Scenario: "hung-node", Must: expect.All(bothWrite, leftKey), May: movedAway},
	{Scenario: "partition", Must: expect.Limits(bothWrite), May: movedAway},
	{Scenario: "node-restart", May: movedAway},
	{Scenario: "cancel", May: movedAway},
	{Scenario: "watchdog-late", May: movedAway},
	{Scenario: "lost-wakeup", May: movedAway},
}

// movedAway is the outcome of a lock that is taken from another server: two hold it, and what is left on the first
// blocks others when that is back.
var movedAway = expect.All(leftKey, expect.Either(bothWrite, tooLate))

var (
	// The store does not have what a lease says.
	dishonest = expect.Faults(checker.LeaseHonesty)
	// A lease is extended that was not held all the time.
	gaps = expect.Faults(checker.TruthfulExtend)
	// Two holders who do not learn of it at their release.
	unnoticed = expect.All(bothWrite, expect.Faults(checker.TruthfulRelease))
)
