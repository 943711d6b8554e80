package scenarios

import (
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
)

// redissonExpectations are those of Redisson's family.
var redissonExpectations = []Expectations{
	{"reentrant", "It knows its holder and its end and cleans up, so nothing is a fault of its own; a store that forgets gives it two holders, and a pause between the look at the end and the access an overrun.", append(slices.Clip(likeShared), lateRenewal)},
	{"watchdog", "It is reentrant; that it is renewed changes nothing for a holder that is paused, whose watchdog is paused as well.", append(slices.Clip(likeReentrant),
		Expectation{Scenario: "watchdog-late", Must: limits(overruns), Reason: "The renewal finds the key gone; the holder knows the end and leaves, but may be in an access just then."})},
	{"fair", "It is reentrant with a queue; who pauses for longer than the others are patient loses its place, and a store that forgets the queue the order.", append(slices.Clip(likeFair), lateRenewal)},
}

// likeReentrant is what is expected of a lease that tells its end and whose
// waiters are woken. A store that forgets may go back to an earlier record of the
// same holder, which extends it and has not had it all the time.
var likeReentrant = []Expectation{
	{Scenario: "failover-loss", Must: limits(twoLeases), May: limits(gaps, harm)},
	{Scenario: "gc-pause", Must: limits(overruns), May: limits(harm)},
	{Scenario: "two-step-release", Must: limits(overruns), May: limits(harm), Reason: "An access is held back on its way to the resource until the lease is over."},
	{Scenario: "partition", Must: limits(twoLeases), May: limits(gaps, harm)},
	{Scenario: "node-restart", Must: limits(twoLeases), May: limits(gaps, harm)},
	{Scenario: "server-clock-jump", Must: limits(twoLeases), May: limits(harm)},
	{Scenario: "hung-node", Settings: set("weak=1"), Must: lateKey, Reason: askedTwice},
}

// likeFair is the same of one with a queue, which a store may forget as well.
var likeFair = []Expectation{
	{Scenario: "failover-loss", Must: limits(twoLeases), May: limits(gaps, outOfTurn, harm)},
	{Scenario: "gc-pause", Must: limits(overruns), May: limits(harm)},
	{Scenario: "two-step-release", Must: limits(overruns), May: limits(harm), Reason: "An access is held back on its way to the resource until the lease is over."},
	{Scenario: "partition", Must: limits(twoLeases), May: limits(gaps, outOfTurn, harm)},
	{Scenario: "node-restart", Must: limits(twoLeases), May: limits(gaps, outOfTurn, harm)},
	{Scenario: "server-clock-jump", Must: limits(twoLeases), May: limits(harm)},
	{Scenario: "hung-node", Settings: set("weak=1"), Must: lateKey, Reason: askedTwice},
}

// lateRenewal is what comes of a short lease that nothing renews in time.
var lateRenewal = Expectation{Scenario: "watchdog-late", May: limits(overruns), Reason: "An access is on its way when the short lease is over."}

var outOfTurn = asFaults(checker.FairOrder)
