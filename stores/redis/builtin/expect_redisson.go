package builtin

import (
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

// redissonExpectations are those of Redisson's family.
var redissonExpectations = []expect.Expectations{
	{Lock: "reentrant", Reason: "It knows its holder and its end, and cleans up, so it has no faults. A store that loses data gives it two holders; a pause between the check of the end and the access causes an overrun.", In: append(slices.Clip(likeShared), lateRenewal)},
	{Lock: "watchdog", Reason: "It is reentrant. Renewal does not help a paused holder, whose watchdog is paused as well.", In: append(slices.Clip(likeReentrant),
		expect.Expectation{Scenario: "watchdog-late", Must: expect.Limits(overruns), Reason: "The renewal finds the key gone. The holder knows the end and stops, but may be in an access at that moment."})},
	{Lock: "fair", Reason: "It is reentrant with a queue. A client that pauses for too long loses its place, and a store that loses the queue loses the order.", In: append(slices.Clip(likeFair), lateRenewal)},
}

// likeReentrant is what is expected of a lease that reports its end and whose
// waiters are woken. A store that forgets may go back to an earlier record of the
// same holder, which extends it and has not had it all the time.
var likeReentrant = []expect.Expectation{
	{Scenario: "failover-loss", Must: expect.Limits(twoLeases), May: expect.Limits(gaps, harm)},
	{Scenario: "gc-pause", Must: expect.Limits(overruns), May: expect.Limits(harm)},
	{Scenario: "two-step-release", Must: expect.Limits(overruns), May: expect.Limits(harm), Reason: "An access is delayed on its way to the resource until the lease is over."},
	{Scenario: "partition", Must: expect.Limits(twoLeases), May: expect.Limits(gaps, harm)},
	{Scenario: "node-restart", Must: expect.Limits(twoLeases), May: expect.Limits(gaps, harm)},
	{Scenario: "server-clock-jump", Must: expect.Limits(twoLeases), May: expect.Limits(harm)},
	{Scenario: "hung-node", Settings: expect.Set("weak=1"), Must: lateKey, Reason: askedTwice},
}

// likeFair is the same of one with a queue, which a store may forget as well.
var likeFair = []expect.Expectation{
	{Scenario: "failover-loss", Must: expect.Limits(twoLeases), May: expect.Limits(gaps, outOfTurn, harm)},
	{Scenario: "gc-pause", Must: expect.Limits(overruns), May: expect.Limits(harm)},
	{Scenario: "two-step-release", Must: expect.Limits(overruns), May: expect.All(expect.Limits(harm), notWoken), Reason: "An access is delayed on its way to the resource until the lease is over. " + phantom},
	{Scenario: "partition", Must: expect.Limits(twoLeases), May: expect.Limits(gaps, outOfTurn, harm)},
	{Scenario: "node-restart", Must: expect.Limits(twoLeases), May: expect.All(expect.Limits(gaps, outOfTurn, harm), notWoken), Reason: "An Acquire whose answer is lost leaves its place in the queue. The release wakes that place, until it loses its patience."},
	{Scenario: "late-request", May: notWoken, Reason: phantom},
	{Scenario: "lost-wakeup", May: notWoken, Reason: phantom},
	{Scenario: "server-clock-jump", Must: expect.Limits(twoLeases), May: expect.Limits(harm)},
	{Scenario: "hung-node", Settings: expect.Set("weak=1"), Must: lateKey, Reason: askedTwice},
}

// phantom is what a request does that comes when its Acquire has given up.
const phantom = "A request of an Acquire that has given up arrives late and takes a place in the queue. The release wakes that place, until it loses its patience."

var notWoken = expect.Faults(checker.BoundedWakeup)

// lateRenewal is the outcome of a short lease that nothing renews in time.
var lateRenewal = expect.Expectation{Scenario: "watchdog-late", May: expect.Limits(overruns), Reason: "An access is in flight when the short lease is over."}

var outOfTurn = expect.Faults(checker.FairOrder)
