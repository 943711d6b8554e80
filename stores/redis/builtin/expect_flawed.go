package builtin

import (
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

// flawedExpectations are those of the flawed locks.
var flawedExpectations = []expect.Expectations{
	{Lock: "setnx", Reason: "Its key has no expiry, so a holder that crashes, or an Acquire that repeats its request after a lost answer, locks out all clients. Its DEL does not compare the value. No clock and no pause ends its lease, because it has none.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: stuck, May: anyWay},
		{Scenario: "two-step-release", Must: expect.All(stuck, removes), May: expect.All(leftKey, anyWay)},
		{Scenario: "holder-crash", Must: stuck},
		{Scenario: "lost-reply", Must: expect.All(stuck, removes), May: expect.All(blindRelease, leftKey)},
		{Scenario: "late-reply", Must: stuck, May: expect.All(leftKey, anyWay)},
		{Scenario: "late-request", Must: removes, May: expect.All(stuck, leftKey, anyWay)},
		{Scenario: "hung-node", Must: stuck, May: expect.All(leftKey, anyWay)},
		{Scenario: "partition", Must: expect.All(stuck, removes), May: expect.All(leftKey, anyWay)},
		{Scenario: "node-restart", Must: blindRelease, May: expect.All(stuck, anyWay)},
		{Scenario: "cancel", Must: expect.All(removes, stuck), May: expect.All(blindRelease, leftKey), Reason: "A second release deletes the next holder's key; a cancelled Acquire leaves its key for ever."},
		{Scenario: "watchdog-late", Must: stuck, May: expect.All(leftKey, anyWay), Vacuous: true, Reason: neverRunsOut},
		{Scenario: "lost-wakeup", Must: expect.All(stuck, removes), May: expect.All(blindRelease, leftKey)},
	}},
	{Lock: "setnx-timestamp-del", Reason: "Two clients see that the dead holder's lease has ended, and the second one's DEL removes the key that the first has just set. Each client decides by its own clock what has ended, so the store's clock does not matter.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: removes, May: anyWay},
		{Scenario: "gc-pause", Must: expect.All(removes, expect.Limits(bothWrite)), May: anyWay},
		{Scenario: "two-step-release", Must: expect.All(removes, expect.Limits(bothWrite)), May: anyWay},
		{Scenario: "holder-crash", Settings: expect.Set("clients=3", "delays=1"), Must: expect.Faults(checker.MutualExclusion, checker.OwnerOnlyRelease), May: anyWay, Reason: "Two of three clients must be waiting when the first one's lease ends. A late segment makes that likely; without one it takes thousands of schedules."},
		{Scenario: "clock-skew", Must: expect.All(removes, bothWrite), May: anyWay},
		{Scenario: "lost-reply", Must: removes, May: anyWay},
		{Scenario: "late-reply", Must: expect.All(removes, bothWrite), May: anyWay},
		{Scenario: "late-request", Must: removes, May: anyWay},
		{Scenario: "hung-node", Must: expect.All(removes, bothWrite), May: anyWay},
		{Scenario: "partition", Must: expect.All(removes, expect.Limits(bothWrite)), May: anyWay},
		{Scenario: "node-restart", Must: expect.All(removes, bothWrite), May: anyWay},
		{Scenario: "cancel", Must: removes, May: expect.All(anyWay, leftKey)},
		{Scenario: "watchdog-late", Must: removes, May: expect.All(leftKey, anyWay), Vacuous: true, Reason: neverRunsOut},
		{Scenario: "lost-wakeup", Must: removes, May: anyWay},
	}},
	{Lock: "setnx-getset", Reason: "A client whose clock is ahead takes over a lease that has not ended. GET, compare, DEL may delete a lock that was taken over in between, or that ends in the same millisecond. The loser's GETSET changes the winner's value, so that the winner cannot release it; no property forbids that, because the lease ends by itself.", In: likeGetSet},
	{Lock: "setnx-getset-nil", Reason: "It is setnx-getset, and locks itself out if the lease that it takes over is released just before its GETSET. That lasts until the lease ends, which no property forbids.", In: likeGetSet},
	{Lock: "setnx-getset-as-printed", Reason: "Its leases end a thousand times too early, by unrelated clocks, and its release does not report that: it needs no fault. An Acquire that throws may have taken the lock, but only until its lease ends. All locks share one record, which takes two locks to show.", In: expect.Everywhere(expect.All(bothWrite, expect.Faults(checker.TruthfulRelease)), expect.All(removes, stuck, leftKey, anyWay),
		expect.Expectation{Scenario: "holder-crash", Must: expect.All(bothWrite, expect.Faults(checker.TruthfulRelease), stuck), May: expect.All(removes, leftKey, anyWay), Reason: "A client whose machine has been up for less time than the dead holder's does not see its lease end."})},
	{Lock: "setpx-del", Reason: "A release that arrives after the end of the lease, or that is sent twice, deletes the current holder's key.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: removes, May: anyWay},
		{Scenario: "gc-pause", Must: expect.Limits(blindRelease), May: anyWay},
		{Scenario: "two-step-release", Must: expect.Limits(blindRelease), May: expect.All(anyWay, leftKey), Reason: cleansUpNothing},
		{Scenario: "server-clock-jump", Must: expect.Limits(blindRelease), May: anyWay},
		{Scenario: "lost-reply", Must: blindRelease},
		{Scenario: "late-reply", Must: expect.All(removes, lateTwo), May: anyWay},
		{Scenario: "late-request", Must: removes, May: expect.All(anyWay, leftKey), Reason: cleansUpNothing},
		{Scenario: "hung-node", Must: removes, May: anyWay},
		{Scenario: "partition", Must: expect.All(removes, expect.Limits(bothWrite)), May: anyWay},
		{Scenario: "node-restart", Must: blindRelease, May: anyWay},
		{Scenario: "cancel", Must: removes, May: expect.All(blindRelease, leftKey), Reason: "A second release deletes the next holder's key."},
		{Scenario: "watchdog-late", Must: removes, May: anyWay},
		{Scenario: "lost-wakeup", Must: blindRelease},
	}},
	{Lock: "setpx-twostep", Reason: "Between its GET and its DEL the lease may end and another client may take the key. Otherwise it is setpx.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: expect.Limits(bothWrite), May: anyWay},
		{Scenario: "gc-pause", Must: expect.Limits(bothWrite), May: anyWay},
		{Scenario: "two-step-release", Must: expect.All(removes, expect.Limits(bothWrite)), May: expect.All(anyWay, leftKey), Reason: cleansUpNothing},
		{Scenario: "partition", Must: expect.Limits(bothWrite), May: anyWay},
		{Scenario: "node-restart", Must: expect.Limits(bothWrite), May: anyWay},
		{Scenario: "server-clock-jump", Must: expect.Limits(bothWrite), May: anyWay},
		{Scenario: "lost-reply", Must: removes, May: anyWay},
		{Scenario: "late-reply", Must: expect.Limits(bothWrite), May: anyWay},
		{Scenario: "late-request", Must: removes, May: expect.All(anyWay, leftKey), Reason: cleansUpNothing},
		{Scenario: "hung-node", May: anyWay},
		{Scenario: "cancel", Must: leftKey, May: anyWay},
		{Scenario: "watchdog-late", Must: removes, May: anyWay},
		{Scenario: "lost-wakeup", Must: removes, May: anyWay},
	}},
	{Lock: "setpx-void-as-printed", Reason: "A client that has waited in vain goes on without the lock: it needs no fault. It also keeps the connection of a wait in vain and of a try that fails, which shows when the pool has few, or when two threads share it for long.", In: expect.Everywhere(lateTwo, expect.All(leftKey, stuck, expect.Limits(bothWrite)),
		expect.Expectation{Scenario: "pool-exhausted", Must: expect.All(lateTwo, stuck), May: leftKey, Reason: "The only connection of a pool is kept by a client that has waited in vain: from then on requests end with go-redis's pool time-out, those of a release as well."})},
	{Lock: "setpx-d-as-printed", Reason: "Its lease is as long as its caller is willing to wait, which is shorter than the work: it needs no fault, unless leases are a minute, of which an eighth is enough.", In: slices.DeleteFunc(expect.Everywhere(bothWrite, expect.All(leftKey, tooLate, expect.Limits(bothWrite))), func(e expect.Expectation) bool {
		return e.Scenario == "lost-wakeup"
	})},
	{Lock: "setpx-quiet-release-as-printed", Reason: "Its release is setpx's, and reports success whether it has deleted the key, found none, or failed. Otherwise it is setpx.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: expect.Limits(bothWrite), May: unsaid},
		{Scenario: "gc-pause", Must: expect.All(unsaid, expect.Limits(bothWrite))},
		{Scenario: "two-step-release", Must: expect.All(unsaid, expect.Limits(bothWrite)), May: expect.All(lateTwo, leftKey), Reason: cleansUpNothing},
		{Scenario: "partition", Must: expect.All(unsaid, expect.Limits(bothWrite)), May: expect.All(lateTwo, leftKey)},
		{Scenario: "node-restart", Must: expect.All(unsaid, expect.Limits(bothWrite)), May: leftKey},
		{Scenario: "server-clock-jump", Must: expect.Limits(bothWrite), May: unsaid},
		{Scenario: "lost-reply", May: leftKey},
		{Scenario: "late-reply", Must: expect.All(unsaid, lateTwo), May: expect.All(leftKey, expect.Limits(bothWrite)), Reason: looksAtNoClock},
		{Scenario: "late-request", May: expect.All(unsaid, leftKey), Reason: cleansUpNothing},
		{Scenario: "hung-node", Settings: expect.Set("weak=1"), Must: lateKey, May: expect.All(unsaid, leftKey), Reason: askedTwice},
		{Scenario: "cancel", Must: leftKey, Reason: "A release whose context ends before its request is sent deletes nothing, and reports success."},
		{Scenario: "watchdog-late", Must: tooLate, May: expect.All(unsaid, leftKey, expect.Either(bothWrite)), Reason: notRenewed},
		{Scenario: "lost-wakeup", May: expect.All(unsaid, leftKey)},
	}},
	{Lock: "watchdog-leased", Reason: "A lease that its caller gives is renewed by nobody, and the caller holds it for as long as it takes.", In: expect.Everywhere(bothWrite, expect.Limits(bothWrite))},
	{Lock: "check-subscribe", Reason: "A waiter that subscribes after its check misses a release between the two, and sleeps for a lease. It looks at no clock and cleans nothing up; otherwise it is setpx.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: expect.Limits(bothWrite), May: asleep},
		{Scenario: "gc-pause", Must: expect.Limits(bothWrite), May: asleep},
		{Scenario: "two-step-release", Must: expect.Limits(bothWrite), May: expect.All(lateTwo, leftKey, asleep)},
		{Scenario: "partition", Must: expect.Limits(bothWrite), May: expect.All(lateTwo, asleep)},
		{Scenario: "node-restart", Must: expect.Limits(bothWrite), May: asleep},
		{Scenario: "server-clock-jump", Must: expect.Limits(bothWrite), May: asleep},
		{Scenario: "lost-reply", May: asleep},
		{Scenario: "late-reply", Must: tooLate, May: expect.All(expect.Either(bothWrite), asleep), Reason: looksAtNoClock},
		{Scenario: "late-request", May: expect.All(leftKey, asleep), Reason: cleansUpNothing},
		{Scenario: "hung-node", May: expect.All(lateTwo, asleep)},
		{Scenario: "cancel", Must: leftKey, May: asleep},
		{Scenario: "watchdog-late", Must: tooLate, May: expect.All(expect.Either(bothWrite), leftKey, asleep), Reason: notRenewed},
		{Scenario: "lost-wakeup", Must: asleep, May: leftKey},
	}},
	{Lock: "setpx-spin-release-as-printed", Reason: "Its release deletes only its own key, but does not return if the lease has ended, so that runs do not finish and are cut. Otherwise it is setpx.", In: []expect.Expectation{
		clustered(expect.Expectation{Scenario: "migration", May: expect.All(expect.Limits(bothWrite), lateTwo, leftKey), MayBeUndecided: true}),
		{Scenario: "failover-loss", Must: expect.Limits(bothWrite), Undecided: true},
		{Scenario: "gc-pause", Must: expect.Limits(bothWrite), Undecided: true},
		{Scenario: "two-step-release", Must: expect.Limits(bothWrite), May: expect.All(lateTwo, leftKey), Undecided: true, Reason: cleansUpNothing},
		{Scenario: "partition", Must: expect.Limits(bothWrite), May: lateTwo, Undecided: true},
		{Scenario: "node-restart", Must: expect.Limits(bothWrite), Undecided: true},
		{Scenario: "server-clock-jump", Must: expect.Limits(bothWrite), Undecided: true},
		{Scenario: "lost-reply", Undecided: true, Reason: "Its DEL was executed, the answer is lost, and every later DEL returns 0."},
		{Scenario: "late-reply", Must: lateTwo, May: expect.Limits(bothWrite), Undecided: true, Reason: looksAtNoClock},
		{Scenario: "late-request", May: leftKey, Undecided: true, Reason: cleansUpNothing},
		{Scenario: "hung-node", Undecided: true},
		{Scenario: "cancel", Must: leftKey, Undecided: true},
		{Scenario: "watchdog-late", Must: tooLate, May: expect.Either(bothWrite), Undecided: true, Reason: notRenewed},
		{Scenario: "lost-wakeup", Undecided: true},
	}},
}

// flawedHotspotExpectations are those of handlers that are flawed in what they cost.
var flawedHotspotExpectations = []expect.Expectations{
	{Lock: "pull-hotspot-early", Reason: "It is pull-hotspot, but for a thread that asks the store while the one before it has not given the lock back.", In: besides(inVain, likePull)},
	{Lock: "pull-hotspot-of-all", Reason: "It is pull-hotspot-names, but for a gate for each name that it has locked.", In: besides(grows, likePullOfMany)},
}

var (
	inVain = expect.Faults(checker.VainRequest)
	grows  = expect.Faults(checker.BoundedSize)
)

// besides returns what is expected in all scenarios, with what must be found in each besides.
func besides(must []model.Violation, list []expect.Expectation) []expect.Expectation {
	var also []expect.Expectation
	for _, e := range list {
		e.Must = expect.All(must, e.Must)
		also = append(also, e)
	}
	return expect.Everywhere(must, nil, also...)
}

// anyWay is what a release that does not compare may violate, or a lock that relies
// on a lease it does not have: as a fault, and as a limit if the store loses data or
// the holder is delayed as well.
var anyWay = expect.Either(blindRelease, tooLate)

// unsaid is a lease that had ended, and is released with success.
var unsaid = expect.Faults(checker.TruthfulRelease)

// asleep is a waiter that sleeps beside a free lock.
var asleep = expect.Faults(checker.BoundedWakeup)

// likeGetSet is what is expected of a takeover by GETSET.
var likeGetSet = []expect.Expectation{
	{Scenario: "failover-loss", Must: expect.Limits(bothWrite), May: anyWay},
	{Scenario: "gc-pause", Must: expect.Limits(bothWrite), May: anyWay},
	{Scenario: "two-step-release", Must: expect.All(removes, expect.Limits(bothWrite)), May: expect.All(anyWay, leftKey), Reason: cleansUpNothing},
	{Scenario: "clock-skew", Must: bothWrite, May: anyWay},
	{Scenario: "lost-reply", Must: removes, May: anyWay},
	{Scenario: "late-reply", Must: expect.All(removes, expect.Limits(bothWrite)), May: anyWay},
	{Scenario: "late-request", Must: removes, May: expect.All(anyWay, leftKey), Reason: cleansUpNothing},
	{Scenario: "hung-node", Must: expect.All(removes, bothWrite), May: anyWay},
	{Scenario: "partition", Must: expect.Limits(bothWrite), May: anyWay},
	{Scenario: "node-restart", Must: expect.Limits(bothWrite), May: anyWay},
	{Scenario: "cancel", Must: leftKey, May: anyWay},
	{Scenario: "watchdog-late", Must: expect.All(removes, bothWrite), May: expect.All(leftKey, anyWay), Vacuous: true, Reason: neverRunsOut},
	{Scenario: "lost-wakeup", Must: removes, May: expect.All(anyWay, stuck), Reason: "A winner whose value the loser has changed cannot release the lock, and blocks others for another lease."},
}

// neverRunsOut is why no lease can end in the store before its holder releases it.
const neverRunsOut = "Its key has no expiry in the store."
