package builtin

import "github.com/lockpick-dev/lockpick/internal/expect"

// oneKeyExpectations are those of the locks that are one value under one key.
var oneKeyExpectations = []expect.Expectations{
	{Lock: "setpx", Reason: "It removes its own key only, so it survives lost answers and requests that come late; it has no end of its own, so whatever makes its key go early, or its holder late, lets a second one in; and it does not clean up after an Acquire that was cancelled or failed.", In: append([]expect.Expectation{
		{Scenario: "late-request", Settings: expect.Set("rounds=12", "weak=1"), Must: lateKey, May: leftKey, Reason: "A request for the lock is executed when that has been released; the others must want it still. " + cleansUpNothing},
	}, likeSetPX...)},
	{Lock: "setpx-cad", Reason: "It is setpx, released by a command: it survives what setpx survives, and loses what every lease loses.", In: likeSetPX},
	{Lock: "setpx-watch", Reason: "It is setpx, released in a transaction, which is as good and takes more commands; go-redis does not try it again by itself, so the lock has to.", In: likeSetPX},
	{Lock: "setpx-wait", Reason: "Its key is on a replica before it says yes, so a failover does not forget it; all else is setpx.", In: likeSetPXWait},
	{Lock: "setpx-wait-one-of-two", Reason: "It is setpx-wait, and survives a failover to the replica that has its key, not one to the other.", In: append([]expect.Expectation{
		{Scenario: "failover-loss", Settings: expect.Set("failovers=4", "rounds=6"), Must: expect.Limits(bothWrite), Reason: "One replica is as soon as the other as a rule; one that has been the primary and has just come back is not."},
	}, likeSetPXWait...)},
}

// likeSetPXWait is what is expected of setpx-wait but where there are failovers.
var likeSetPXWait = []expect.Expectation{
	{Scenario: "gc-pause", Must: expect.Limits(bothWrite)},
	{Scenario: "two-step-release", Must: expect.Limits(bothWrite), May: expect.All(lateTwo, leftKey), Reason: looksAtNoClock + " " + cleansUpNothing},
	{Scenario: "partition", May: expect.All(expect.Limits(bothWrite), lateTwo)},
	{Scenario: "node-restart", Must: expect.Limits(bothWrite), Reason: "The primary is back, empty, before anybody has promoted the replica."},
	{Scenario: "server-clock-jump", Must: expect.Limits(bothWrite)},
	{Scenario: "late-reply", Must: lateTwo, May: expect.Limits(bothWrite), Reason: looksAtNoClock},
	{Scenario: "late-request", May: leftKey, Reason: cleansUpNothing},
	{Scenario: "lost-reply", Settings: expect.Set("weak=1"), Must: unthanked, Reason: doneAlready},
	{Scenario: "hung-node", Settings: expect.Set("weak=1"), Must: lateTwo, May: expect.All(lateKey, expect.Limits(bothWrite)), Reason: "WAIT comes after SET, and a node that hangs in between uses up the lease before Acquire returns. " + askedTwice},
	{Scenario: "cancel", Must: leftKey},
	{Scenario: "watchdog-late", Must: tooLate, May: expect.Either(bothWrite), Reason: notRenewed},
}

// likeSetPX is what is expected of setpx however it compares and deletes.
var likeSetPX = []expect.Expectation{
	{Scenario: "failover-loss", Must: expect.Limits(bothWrite)},
	{Scenario: "gc-pause", Must: expect.Limits(bothWrite)},
	{Scenario: "two-step-release", Must: expect.Limits(bothWrite), May: expect.All(lateTwo, leftKey), Reason: "The answer that grants the lock, or a read of the resource, is held back until the lease is over. " + cleansUpNothing},
	{Scenario: "partition", Must: expect.Limits(bothWrite), May: lateTwo},
	{Scenario: "node-restart", Must: expect.Limits(bothWrite)},
	{Scenario: "server-clock-jump", Must: expect.Limits(bothWrite)},
	{Scenario: "late-reply", Must: lateTwo, May: expect.Limits(bothWrite), Reason: looksAtNoClock},
	{Scenario: "late-request", May: leftKey, Reason: cleansUpNothing},
	{Scenario: "lost-reply", Settings: expect.Set("weak=1"), Must: unthanked, Reason: doneAlready},
	{Scenario: "hung-node", Settings: expect.Set("weak=1"), Must: lateKey, Reason: askedTwice},
	{Scenario: "cancel", Must: leftKey},
	{Scenario: "watchdog-late", Must: tooLate, May: expect.Either(bothWrite), Reason: notRenewed},
}

// looksAtNoClock is why a lock is at fault where an answer is late.
const looksAtNoClock = "It does not look at its clock before Acquire says that it has the lock."

// cleansUpNothing is why a lock leaves a key behind where a request is late, and the
// connection for the next try is late as well.
const cleansUpNothing = "A late request takes the lock just before Acquire fails, which cleans nothing up."

// notRenewed is how a lock that does not renew its leases fares where others are
// late to.
const notRenewed = "It renews nothing; but an answer that grants the lock may come when the lease is over."
