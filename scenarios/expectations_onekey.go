package scenarios

// oneKeyExpectations are those of the locks that are one value under one key.
var oneKeyExpectations = []Expectations{
	{"setpx", "It removes its own key only, so it survives lost answers and requests that come late; it has no end of its own, so whatever makes its key go early, or its holder late, lets a second one in; and it does not clean up after an Acquire that was cancelled.", append([]Expectation{
		{Scenario: "late-request", Settings: set("rounds=12", "weak=1"), Must: lateKey, Reason: "A request for the lock is executed when that has been released; the others must want it still."},
	}, likeSetPX...)},
	{"setpx-cad", "It is setpx, released by a command: it survives what setpx survives, and loses what every lease loses.", likeSetPX},
	{"setpx-watch", "It is setpx, released in a transaction, which is as good and takes more commands; go-redis does not try it again by itself, so the lock has to.", likeSetPX},
	{"setpx-wait", "Its key is on a replica before it says yes, so a failover does not forget it; all else is setpx.", likeSetPXWait},
	{"setpx-wait-one-of-two", "It is setpx-wait, and survives a failover to the replica that has its key, not one to the other.", append([]Expectation{
		{Scenario: "failover-loss", Settings: set("failovers=4", "rounds=6"), Must: limits(bothWrite), Reason: "One replica is as soon as the other as a rule; one that has been the primary and has just come back is not."},
	}, likeSetPXWait...)},
}

// likeSetPXWait is what is expected of setpx-wait but where there are failovers.
var likeSetPXWait = []Expectation{
	{Scenario: "gc-pause", Must: limits(bothWrite)},
	{Scenario: "two-step-release", Must: limits(bothWrite), May: all(lateTwo, leftKey), Reason: looksAtNoClock + " " + cleansUpNothing},
	{Scenario: "partition", May: all(limits(bothWrite), lateTwo)},
	{Scenario: "node-restart", Must: limits(bothWrite), Reason: "The primary is back, empty, before anybody has promoted the replica."},
	{Scenario: "server-clock-jump", Must: limits(bothWrite)},
	{Scenario: "late-reply", Must: lateTwo, May: limits(bothWrite), Reason: looksAtNoClock},
	{Scenario: "lost-reply", Settings: set("weak=1"), Must: unthanked, Reason: doneAlready},
	{Scenario: "hung-node", Settings: set("weak=1"), Must: lateTwo, May: all(lateKey, limits(bothWrite)), Reason: "WAIT comes after SET, and a node that hangs in between uses up the lease before Acquire returns. " + askedTwice},
	{Scenario: "cancel", Must: leftKey},
	{Scenario: "watchdog-late", Must: tooLate, May: eitherClass(bothWrite), Reason: notRenewed},
}

// likeSetPX is what is expected of setpx however it compares and deletes.
var likeSetPX = []Expectation{
	{Scenario: "failover-loss", Must: limits(bothWrite)},
	{Scenario: "gc-pause", Must: limits(bothWrite)},
	{Scenario: "two-step-release", Must: limits(bothWrite), May: all(lateTwo, leftKey), Reason: "The answer that grants the lock, or a read of the resource, is held back until the lease is over. " + cleansUpNothing},
	{Scenario: "partition", Must: limits(bothWrite), May: lateTwo},
	{Scenario: "node-restart", Must: limits(bothWrite)},
	{Scenario: "server-clock-jump", Must: limits(bothWrite)},
	{Scenario: "late-reply", Must: lateTwo, May: limits(bothWrite), Reason: looksAtNoClock},
	{Scenario: "lost-reply", Settings: set("weak=1"), Must: unthanked, Reason: doneAlready},
	{Scenario: "hung-node", Settings: set("weak=1"), Must: lateKey, Reason: askedTwice},
	{Scenario: "cancel", Must: leftKey},
	{Scenario: "watchdog-late", Must: tooLate, May: eitherClass(bothWrite), Reason: notRenewed},
}

// looksAtNoClock is why a lock is at fault where an answer is late.
const looksAtNoClock = "It does not look at its clock before Acquire says that it has the lock."

// cleansUpNothing is why a lock leaves a key behind where a request is late, and the
// connection for the next try is late as well.
const cleansUpNothing = "A late request takes the lock just before Acquire fails, which cleans nothing up."

// notRenewed is how a lock that does not renew its leases fares where others are
// late to.
const notRenewed = "It renews nothing; but an answer that grants the lock may come when the lease is over."
