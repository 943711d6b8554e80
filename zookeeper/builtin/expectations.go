package builtin

import (
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

var (
	// harm is done by two holders at once.
	harm = expect.Faults(checker.MutualExclusion, checker.Linearizable, checker.NoLostUpdate)
	// overrun is an access that takes effect when the holder's claim is over.
	overrun = expect.Limits(expect.Faults(checker.Overrun))
	// ended is a claim that outlives the session.
	ended = expect.Faults(checker.MutualExclusion, checker.LeaseHonesty)
	stuck = expect.Faults(checker.Progress)
	// leftNode is a znode without a holder or a waiter.
	leftNode = expect.Faults(checker.NoOrphan)
	lateLoss = expect.Faults(checker.TimelyLoss)
	// falseSuccess is success without a znode that has the lock.
	falseSuccess = expect.All(harm, expect.Faults(checker.TruthfulAcquire))
)

// lateReports is why a sound lock's claim may outlive its session.
const lateReports = "A claim rests on its server's report to the leader, every half tick. A report that is late by more than half of the session breaks that."

// clockBack is why a sound lock may have two holders where all faults may strike.
const clockBack = "A client whose clock jumps back while it is stopped takes its session for alive."

// queueExpectations are those of the sound locks.
var queueExpectations = []expect.Expectations{
	{Lock: "zookeeper", Reason: "It claims the lock for half of the session after the leader's last answer, and only if its znode is there. So a session that ends is no harm, but for a holder that is stopped or late between its last look and the access, and for a clock of the leader's that jumps.", In: sound},
	{Lock: "zookeeper-herd", Reason: "As zookeeper. It wakes all waiters at each release, which costs requests and harms nothing.", In: soundHerd},
	{Lock: "zookeeper-readwrite", Reason: "As zookeeper, for many readers or one writer. A holder enters again by its own clock.", In: soundReentrant},
	{Lock: "zookeeper-semaphore", Reason: "As zookeeper, for several permits.", In: soundShared},
}

var sound = []expect.Expectation{
	{Scenario: "gc-pause", May: overrun},
	{Scenario: "two-step-release", May: expect.All(overrun, expect.Limits(ended)), Reason: lateReports},
	{Scenario: "clock-skew", May: overrun},
	{Scenario: "watchdog-late", May: overrun},
	{Scenario: "server-clock-jump", May: expect.All(overrun, expect.Limits(ended))},
	{Scenario: "stale-follower", May: expect.All(overrun, expect.Limits(ended)), Reason: lateReports},
	{Scenario: "election", May: overrun, Reason: "A leader that hangs answers no report, so the claim ends half a session after its last answer. An access that was sent just before takes effect just after."},
}

// soundHerd are those of a sound lock whose waiters all look again when one of them leaves.
var soundHerd = expect.Instead(sound, expect.Expectation{Scenario: "watchdog-late", May: expect.All(overrun, expect.Limits(ended)), Reason: lateReports})

// soundShared are those of a sound lock whose waiters all look again at each change.
var soundShared = expect.Instead(sound,
	expect.Expectation{Scenario: "gc-pause", May: expect.All(overrun, expect.Limits(ended)), Reason: "A waiter is stopped for most of its session, and gets the lock when it goes on. " + lateReports},
	expect.Expectation{Scenario: scenarios.Storm, May: expect.Limits(harm), Reason: clockBack},
)

// soundReentrant are those of a sound lock whose holder may enter again: it does so by its own clock, without asking.
var soundReentrant = expect.Instead(sound,
	expect.Expectation{Scenario: "gc-pause", May: expect.All(overrun, expect.Limits(ended)), Reason: lateReports},
	expect.Expectation{Scenario: "late-reply", May: overrun},
	expect.Expectation{Scenario: "late-request", May: expect.All(overrun, expect.Limits(ended)), Reason: lateReports},
	expect.Expectation{Scenario: "stale-follower", May: expect.All(overrun, expect.Limits(ended, harm)), Reason: lateReports},
	expect.Expectation{Scenario: scenarios.Storm, May: expect.Limits(harm), Reason: clockBack},
)

// flawedExpectations are those of the flawed locks.
var flawedExpectations = []expect.Expectations{
	{Lock: "curator", Reason: "It holds the lock until it learns that its connection or its session is lost. A holder that is stopped, or an access that is under way then, comes too late.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: overrun},
		{Scenario: "gc-pause", Must: expect.All(overrun, expect.Limits(expect.Faults(checker.MutualExclusion)))},
		{Scenario: "two-step-release", May: expect.All(overrun, expect.Limits(harm)), Reason: lateReports},
		{Scenario: "server-clock-jump", May: expect.All(overrun, expect.Limits(ended))},
		{Scenario: "late-reply", May: overrun},
		{Scenario: "late-request", May: overrun},
		{Scenario: "lost-reply", May: overrun},
		{Scenario: "hung-node", May: overrun},
		{Scenario: "partition", May: overrun},
		{Scenario: "node-restart", Must: overrun},
		{Scenario: "lost-wakeup", Must: overrun},
		{Scenario: "watchdog-late", May: overrun},
		{Scenario: "session-expiry", May: overrun},
		{Scenario: "stale-follower", Must: overrun, May: expect.All(expect.Limits(harm), falseSuccess, lateLoss), Reason: "Its session ends while its server is behind: that goes on answering, and reports it late. It looks at no clock."},
		{Scenario: "election", Must: overrun},
		{Scenario: "storm", May: stuck, Reason: "A leader that is cut off, and whose clock jumps, refuses the release since the session has expired. The next leader goes on with the session, and the znode stays."},
	}},
	{Lock: "zookeeper-as-printed", Reason: "It waits once and returns without looking again, so it needs no fault: a waiter whose predecessor gives up, or a second wait on one instance, returns as if it had the lock. Errors are ignored, and a release that fails leaves its znode.", In: expect.Everywhere(falseSuccess,
		expect.All(expect.Limits(harm), stuck, leftNode, lateLoss, expect.Faults(checker.TruthfulRelease)),
		expect.Expectation{Scenario: "watchdog-late", Must: falseSuccess, May: expect.All(stuck, leftNode, lateLoss, expect.Faults(checker.TruthfulRelease)), Vacuous: true, Reason: "Its holders give up before their sessions end."})},
	{Lock: "zklib", Reason: "It does not check that its own znode is still there: a request that was queued in one session and sent in the next makes it a holder without one. An error after the creation of its znode leaves it, and the next Lock waits behind it; Unlock keeps the name of its znode when it fails, and Lock refuses for ever. Its leases have no end and no signal of their loss.", In: library},
}

// libraryMay is what any fault of the network or of a server may show of the library's lock.
var libraryMay = expect.All(leftNode, lateLoss, expect.Either(harm))

var library = []expect.Expectation{
	{Scenario: "failover-loss", Must: stuck, May: libraryMay},
	{Scenario: "gc-pause", Must: expect.All(falseSuccess, lateLoss), May: expect.All(libraryMay, stuck)},
	{Scenario: "two-step-release", Must: stuck, May: libraryMay},
	{Scenario: "server-clock-jump", Must: expect.Limits(expect.Faults(checker.MutualExclusion, checker.Linearizable)), May: expect.All(libraryMay, stuck)},
	{Scenario: "lost-reply", Must: expect.All(stuck, leftNode), May: libraryMay},
	{Scenario: "late-reply", Must: stuck, May: libraryMay},
	{Scenario: "late-request", Must: stuck, May: libraryMay},
	{Scenario: "hung-node", Must: stuck, May: libraryMay},
	{Scenario: "partition", Must: stuck, May: libraryMay},
	{Scenario: "node-restart", Must: stuck, May: libraryMay},
	{Scenario: "cancel", Must: expect.All(stuck, leftNode), May: libraryMay},
	{Scenario: "watchdog-late", Must: stuck, May: libraryMay, Vacuous: true, Reason: "It is stuck before a session ends."},
	{Scenario: "lost-wakeup", Must: expect.All(stuck, leftNode), May: libraryMay},
	{Scenario: "session-expiry", Must: stuck, May: libraryMay},
	{Scenario: "stale-follower", Must: stuck, May: libraryMay},
	{Scenario: "election", Must: stuck, May: libraryMay},
}
