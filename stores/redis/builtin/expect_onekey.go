package builtin

import (
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

// oneKeyExpectations are those of the locks that are one value under one key.
var oneKeyExpectations = []expect.Expectations{
	{Lock: "setpx", Reason: "It removes only its own key, so it survives lost answers and late requests. Its lease does not report its end, so anything that removes its key early or delays its holder gives it a second holder. It does not clean up after a cancelled or failed Acquire.", In: withClustered(expect.Instead(likeSetPX,
		expect.Expectation{Scenario: "late-request", Settings: expect.Set("rounds=12", "weak=1"), Must: lateKey, May: leftKey, Reason: "A request for the lock is executed after the release, while other clients still want the lock. " + cleansUpNothing},
	), movedSetPX)},
	{Lock: "setpx-cad", Reason: "It is setpx, released by one command, and behaves like setpx.", In: likeSetPX},
	{Lock: "setpx-delex", Reason: "It is setpx-cad with the command of Redis 8.4.", In: likeSetPX},
	{Lock: "setpx-watch", Reason: "It is setpx, released in a transaction, which is as safe and takes more commands. go-redis does not retry a transaction, so the lock does.", In: withClustered(likeSetPX, movedWatch)},
	{Lock: "setpx-wait", Reason: "Its key is on a replica before Acquire returns, so it survives a failover. Otherwise it is setpx.", In: append([]expect.Expectation{
		{Scenario: "failover-loss", May: expect.Either(bothWrite), Reason: "WAIT takes up to half of the lease until the replica is back, and Acquire does not report how much is left: a hold of 70 % of a lease outlasts it."},
	}, withClustered(likeSetPXWait, waitsInCluster...)...)},
	{Lock: "setpx-wait-one-of-two", Reason: "It is setpx-wait. It survives a failover to the replica that has its key, but not to the other.", In: append([]expect.Expectation{
		{Scenario: "failover-loss", Settings: expect.Set("failovers=4", "rounds=6"), Must: expect.Limits(bothWrite), Reason: "The two replicas are usually equally fast. A former primary that has just come back lags."},
	}, withClustered(likeSetPXWait, waitsInCluster...)...)},
}

// likeSetPXWait is what is expected of setpx-wait but where there are failovers.
var likeSetPXWait = []expect.Expectation{
	{Scenario: "gc-pause", Must: expect.Limits(bothWrite)},
	{Scenario: "two-step-release", Must: expect.Limits(bothWrite), May: expect.All(lateTwo, leftKey), Reason: looksAtNoClock + " " + cleansUpNothing},
	{Scenario: "partition", May: expect.All(expect.Limits(bothWrite), lateTwo), Vacuous: true, Reason: "Where sentinels choose, nobody has it when another primary is promoted: who is cut off with the old one does not get it, and a hold is shorter than an election."},
	{Scenario: "node-restart", Must: expect.Limits(bothWrite), Reason: "The primary comes back empty before the replica is promoted."},
	{Scenario: "server-clock-jump", Must: expect.Limits(bothWrite)},
	{Scenario: "late-reply", Must: lateTwo, May: expect.Limits(bothWrite), Reason: looksAtNoClock},
	{Scenario: "late-request", May: leftKey, Reason: cleansUpNothing},
	{Scenario: "lost-reply", Settings: expect.Set("weak=1"), Must: unthanked, Reason: doneAlready},
	{Scenario: "hung-node", Settings: expect.Set("weak=1"), Must: lateKey, Reason: askedTwice},
	{Scenario: "cancel", Must: leftKey},
	{Scenario: "watchdog-late", Must: tooLate, May: expect.Either(bothWrite), Reason: notRenewed},
	{Scenario: "lost-wakeup", May: leftKey, Reason: cleansUpNothing},
}

// likeSetPX is what is expected of setpx however it compares and deletes.
var likeSetPX = []expect.Expectation{
	{Scenario: "failover-loss", Must: expect.Limits(bothWrite)},
	{Scenario: "gc-pause", Must: expect.Limits(bothWrite)},
	{Scenario: "two-step-release", Must: expect.Limits(bothWrite), May: expect.All(lateTwo, leftKey), Reason: "The answer that grants the lock, or a read of the resource, is delayed until the lease is over. " + cleansUpNothing},
	{Scenario: "partition", Must: expect.Limits(bothWrite), May: lateTwo},
	{Scenario: "node-restart", Must: expect.Limits(bothWrite)},
	{Scenario: "server-clock-jump", Must: expect.Limits(bothWrite)},
	{Scenario: "late-reply", Must: lateTwo, May: expect.Limits(bothWrite), Reason: looksAtNoClock},
	{Scenario: "late-request", May: leftKey, Reason: cleansUpNothing},
	{Scenario: "lost-reply", Settings: expect.Set("weak=1"), Must: unthanked, Reason: doneAlready},
	{Scenario: "hung-node", Settings: expect.Set("weak=1"), Must: lateKey, Reason: askedTwice},
	{Scenario: "cancel", Must: leftKey},
	{Scenario: "watchdog-late", Must: tooLate, May: expect.Either(bothWrite), Reason: notRenewed},
	{Scenario: "lost-wakeup", May: leftKey, Reason: cleansUpNothing},
}

// looksAtNoClock is why a late answer makes a lock violate properties as a fault.
const looksAtNoClock = "It does not check its clock before Acquire returns."

// cleansUpNothing is why a lock leaves a key behind if a request is late and the connection for the next try is late as well.
const cleansUpNothing = "A late request takes the lock just before Acquire fails, and Acquire does not clean up."

// notRenewed is why watchdog-late affects a lock that does not renew its leases.
const notRenewed = "It does not renew its lease, and the answer that grants the lock may arrive after the lease."
