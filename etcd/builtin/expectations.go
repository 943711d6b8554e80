package builtin

import (
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

var (
	// overlap is two holders at once, wrong what may follow from that, and harm both.
	overlap = expect.Faults(checker.MutualExclusion)
	wrong   = expect.Faults(checker.Linearizable, checker.NoLostUpdate)
	harm    = expect.All(overlap, wrong)
	// overrun is an access that takes effect when the holder's claim is over.
	overrun = expect.Limits(expect.Faults(checker.Overrun))
	// stuck is a client that waits for ever, since a key is left that a session keeps alive.
	stuck = expect.Faults(checker.Progress)
	// falseSuccess is success that the store did not give, or that came when it was over.
	falseSuccess = expect.Faults(checker.TruthfulAcquire)
	// released is an Unlock or a Resign that does not say that the key was gone.
	released = expect.Faults(checker.TruthfulRelease)
	// lateLoss is a session that learns late of its end.
	lateLoss = expect.Faults(checker.TimelyLoss)
	leftKey  = expect.Faults(checker.NoOrphan)
	// cancelledLate is a Lock that gives its key up when its context has ended, and waits for
	// a connection to do so.
	cancelledLate = expect.Faults(checker.PromptCancel)
)

// Families are the locks with what is expected of them, in the order of [Locks]. For the
// library's locks, a violation is required if at least one schedule in fifty shows it, and
// allowed if any of 3,000 did. Where the claims of two clients overlapped, everything that may
// follow from that is allowed as well.
func Families() []expect.Family {
	return []expect.Family{
		{Title: "etcd: a queue of keys with leases", Expectations: []expect.Expectations{ofEtcd}},
		{Title: "etcd: what comes with the client library", Expectations: []expect.Expectations{ofMutex, ofElection, ofReadWrite}},
		{Title: "etcd, flawed as often written", Expectations: []expect.Expectations{ofWatchNow}},
	}
}

// ofEtcd is expected of the recipe with a fencing token.
var ofEtcd = expect.Expectations{
	Lock: "etcd",
	Reason: "It claims the lock for a time to live after it sent the last renewal that was answered, and only if " +
		"its key is there. So a lease that ends is no harm, but for a holder that is stopped or late between " +
		"its last look and the access, or whose clock is slow.",
	In: []expect.Expectation{
		{Scenario: "gc-pause", May: overrun},
		{Scenario: "two-step-release", May: overrun},
		{Scenario: "clock-skew", May: expect.All(overrun, expect.Limits(expect.Faults(checker.LeaseHonesty, checker.MutualExclusion)))},
		{Scenario: "watchdog-late", May: overrun},
		{Scenario: "stale-follower", May: overrun},
		{Scenario: "election", May: overrun},
		{Scenario: scenarios.Storm, May: expect.Limits(overlap), Reason: "A clock that is slow and a pause make a claim outlast the lease."},
	},
}

// ofMutex is expected of concurrency.Mutex.
var ofMutex = expect.Expectations{
	Lock: "etcd-mutex",
	Reason: "Its session learns late that the lease has ended, and Unlock does not say whether the key was still " +
		"there. An Unlock that fails leaves its key for as long as the session lasts, which is as long as " +
		"the process. Lock looks at its own key after its wait, so it seldom returns when its lease has " +
		"ended: only if that look is answered late.",
	In: []expect.Expectation{
		{Scenario: "failover-loss", Must: stuck},
		{Scenario: "gc-pause", Must: expect.All(released, expect.Limits(overlap)), May: expect.All(falseSuccess, expect.Limits(wrong), overrun)},
		{Scenario: "two-step-release", Must: released, May: expect.All(falseSuccess, lateLoss, harm, expect.Limits(harm), overrun)},
		noClock,
		{Scenario: "late-reply", May: expect.All(falseSuccess, released, harm, overrun)},
		{Scenario: "late-request", May: expect.All(released, lateLoss, harm, expect.Limits(harm))},
		{Scenario: "hung-node", Must: stuck, May: expect.All(falseSuccess, released, lateLoss, harm, expect.Limits(harm), overrun)},
		{Scenario: "partition", Must: stuck, May: expect.All(falseSuccess, released, lateLoss, harm)},
		{Scenario: "node-restart", Must: stuck},
		{Scenario: "watchdog-late", May: expect.All(falseSuccess, released, lateLoss, harm, expect.Limits(harm))},
		{Scenario: "lost-wakeup", Must: stuck, May: leftKey},
		{Scenario: "session-expiry", Must: released, May: expect.All(falseSuccess, lateLoss, harm, expect.Limits(harm), overrun)},
		{Scenario: "stale-follower", Must: released, May: expect.All(stuck, leftKey, falseSuccess, lateLoss, harm, expect.Limits(harm), overrun)},
		{Scenario: "election", Must: stuck, May: expect.All(falseSuccess, released, lateLoss, harm, expect.Limits(harm), overrun)},
		{Scenario: scenarios.Storm, May: cancelledLate},
	},
}

// noClock is expected of the library's recipes.
var noClock = expect.Expectation{Scenario: "clock-skew", Vacuous: true, Reason: "The library reads no clock but package time, which is never off in a simulation."}

// unlooked is what locks do that never look at their own key after their wait.
var unlooked = []expect.Expectation{
	{Scenario: "failover-loss", Must: stuck},
	{Scenario: "gc-pause", Must: expect.All(falseSuccess, released, expect.Limits(overlap)), May: expect.All(harm, expect.Limits(wrong), overrun)},
	{Scenario: "two-step-release", Must: expect.All(falseSuccess, released), May: expect.All(lateLoss, harm, expect.Limits(harm), overrun)},
	noClock,
	{Scenario: "late-request", Must: expect.All(falseSuccess, released), May: expect.All(lateLoss, harm, expect.Limits(harm), overrun)},
	{Scenario: "hung-node", Must: expect.All(stuck, falseSuccess, released), May: expect.All(lateLoss, harm, expect.Limits(harm), overrun)},
	{Scenario: "partition", Must: expect.All(stuck, falseSuccess, released), May: expect.All(lateLoss, harm, expect.Limits(harm), overrun)},
	{Scenario: "node-restart", Must: stuck},
	{Scenario: "lost-wakeup", Must: stuck, May: expect.All(falseSuccess, released, leftKey, harm)},
	{Scenario: "election", Must: expect.All(stuck, falseSuccess, released), May: expect.All(lateLoss, harm, expect.Limits(harm), overrun)},
}

// ofElection is expected of concurrency.Election.
var ofElection = expect.Expectations{
	Lock: "etcd-election",
	Reason: "As etcd-mutex; but Campaign does not look at its own key after its wait, so it returns as if it led " +
		"when its lease has ended.",
	In: slices.Concat(unlooked, []expect.Expectation{
		{Scenario: "late-reply", Must: expect.All(falseSuccess, released), May: harm},
		{Scenario: "watchdog-late", Must: expect.All(falseSuccess, released), May: expect.All(lateLoss, harm, expect.Limits(harm), overrun)},
		{Scenario: "session-expiry", Must: expect.All(falseSuccess, released, overlap), May: expect.All(lateLoss, wrong, expect.Limits(harm), overrun)},
		{Scenario: "stale-follower", Must: expect.All(falseSuccess, released, overlap), May: expect.All(stuck, lateLoss, wrong, leftKey, expect.Limits(harm), overrun)},
		{Scenario: scenarios.Storm, May: cancelledLate},
	}),
}

// ofReadWrite is expected of recipe.RWMutex.
var ofReadWrite = expect.Expectations{
	Lock:   "etcd-rwmutex",
	Reason: "As etcd-election: it never looks at its own key. A call that fails, or is given up, leaves its key.",
	In: slices.Concat(unlooked, []expect.Expectation{
		{Scenario: "lost-reply", Must: expect.All(stuck, leftKey)},
		{Scenario: "late-reply", Must: released, May: expect.All(falseSuccess, harm, overrun)},
		{Scenario: "cancel", Must: stuck, May: leftKey},
		{Scenario: "watchdog-late", Must: expect.All(falseSuccess, released), May: expect.All(lateLoss, harm, expect.Limits(harm), overrun)},
		{Scenario: "session-expiry", Must: expect.All(falseSuccess, released), May: expect.All(lateLoss, harm, expect.Limits(harm), overrun)},
		{Scenario: "stale-follower", Must: expect.All(stuck, falseSuccess, released, overlap), May: expect.All(lateLoss, leftKey, wrong, expect.Limits(harm), overrun)},
	}),
}

// ofWatchNow is expected of the lock that watches from now.
var ofWatchNow = expect.Expectations{
	Lock: "etcd-watch-now",
	Reason: "Its waiters watch from now, and miss a deletion between their look and the watch: whatever makes a request " +
		"late opens that window. The library's keep-alive learns late that the lease has ended.",
	In: []expect.Expectation{
		{Scenario: "gc-pause", May: expect.All(missed, late)},
		{Scenario: "two-step-release", Must: missed, May: late},
		{Scenario: "late-reply", Must: missed, May: late},
		{Scenario: "late-request", Must: missed, May: late},
		{Scenario: "hung-node", May: expect.All(missed, late)},
		{Scenario: "partition", May: expect.All(missed, late)},
		{Scenario: "watchdog-late", Must: lateLoss, May: expect.All(missed, late)},
		{Scenario: "lost-wakeup", Must: missed, May: late},
		{Scenario: "session-expiry", Must: missed, May: late},
		{Scenario: "stale-follower", Must: missed, May: late},
		{Scenario: "election", May: expect.All(missed, late)},
		{Scenario: scenarios.Storm, May: expect.All(missed, late)},
	},
}

var (
	// missed is a waiter that nobody wakes.
	missed = stuck
	// late is what follows when a client learns late that its lease has ended, or gets an
	// answer after that.
	late = expect.All(lateLoss, falseSuccess, expect.Faults(checker.BoundedWakeup), expect.Either(harm), overrun)
)
