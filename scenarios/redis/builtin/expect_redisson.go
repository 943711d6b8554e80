package builtin

import (
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/expect"
)

// redissonExpectations are those of Redisson's family.
var redissonExpectations = []expect.Expectations{
	{Lock: "reentrant", Reason: "It knows its holder and its end and cleans up, so nothing is a fault of its own; a store that forgets gives it two holders, and a pause between the look at the end and the access an overrun.", In: append(slices.Clip(likeShared), lateRenewal)},
	{Lock: "watchdog", Reason: "It is reentrant; that it is renewed changes nothing for a holder that is paused, whose watchdog is paused as well.", In: append(slices.Clip(likeReentrant),
		expect.Expectation{Scenario: "watchdog-late", Must: expect.Limits(overruns), Reason: "The renewal finds the key gone; the holder knows the end and leaves, but may be in an access just then."})},
	{Lock: "fair", Reason: "It is reentrant with a queue; who pauses for longer than the others are patient loses its place, and a store that forgets the queue the order.", In: append(slices.Clip(likeFair), lateRenewal)},
}

// likeReentrant is what is expected of a lease that tells its end and whose
// waiters are woken. A store that forgets may go back to an earlier record of the
// same holder, which extends it and has not had it all the time.
var likeReentrant = []expect.Expectation{
	{Scenario: "failover-loss", Must: expect.Limits(twoLeases), May: expect.Limits(gaps, harm)},
	{Scenario: "gc-pause", Must: expect.Limits(overruns), May: expect.Limits(harm)},
	{Scenario: "two-step-release", Must: expect.Limits(overruns), May: expect.Limits(harm), Reason: "An access is held back on its way to the resource until the lease is over."},
	{Scenario: "partition", Must: expect.Limits(twoLeases), May: expect.Limits(gaps, harm)},
	{Scenario: "node-restart", Must: expect.Limits(twoLeases), May: expect.Limits(gaps, harm)},
	{Scenario: "server-clock-jump", Must: expect.Limits(twoLeases), May: expect.Limits(harm)},
	{Scenario: "hung-node", Settings: expect.Set("weak=1"), Must: lateKey, Reason: askedTwice},
}

// likeFair is the same of one with a queue, which a store may forget as well.
var likeFair = []expect.Expectation{
	{Scenario: "failover-loss", Must: expect.Limits(twoLeases), May: expect.Limits(gaps, outOfTurn, harm)},
	{Scenario: "gc-pause", Must: expect.Limits(overruns), May: expect.Limits(harm)},
	{Scenario: "two-step-release", Must: expect.Limits(overruns), May: expect.Limits(harm), Reason: "An access is held back on its way to the resource until the lease is over."},
	{Scenario: "partition", Must: expect.Limits(twoLeases), May: expect.Limits(gaps, outOfTurn, harm)},
	{Scenario: "node-restart", Must: expect.Limits(twoLeases), May: expect.Limits(gaps, outOfTurn, harm)},
	{Scenario: "server-clock-jump", Must: expect.Limits(twoLeases), May: expect.Limits(harm)},
	{Scenario: "hung-node", Settings: expect.Set("weak=1"), Must: lateKey, Reason: askedTwice},
}

// lateRenewal is what comes of a short lease that nothing renews in time.
var lateRenewal = expect.Expectation{Scenario: "watchdog-late", May: expect.Limits(overruns), Reason: "An access is on its way when the short lease is over."}

var outOfTurn = expect.Faults(checker.FairOrder)
