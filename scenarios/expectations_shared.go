package scenarios

import (
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
)

// An order of the calls is missing.
var noOrder = asFaults(checker.Linearizable)

// A generation of a barrier is remembered for a lease, and go-redis may ask again
// later than that.
const forgottenGeneration = "An answer is later than a generation is remembered: who is asked again says that it is there, of the next one."

// sharedExpectations are those of the kinds that are no mutex.
var sharedExpectations = []Expectations{
	{"readwrite", "Each share has an end that its holder knows, so nothing is a fault of its own; a store that forgets lets a writer in beside others.", append(slices.Clip(likeShared), lateRenewal)},
	{"semaphore", "Its permits have no lease: what a crashed holder has, what a release that the store forgets was to give back, and what a late request takes for nobody, is gone for good.", []Expectation{
		{Scenario: "failover-loss", Must: limits(asFaults(checker.MutualExclusion)), May: limits(noOrder, stuck)},
		{Scenario: "two-step-release", May: stuck, Reason: "A request for permits is executed when it has been given back already."},
		{Scenario: "late-request", May: stuck, Reason: "A request for permits is executed when it has been given back already."},
		{Scenario: "late-reply", May: stuck},
		{Scenario: "hung-node", May: stuck},
		{Scenario: "holder-crash", Must: stuck},
		{Scenario: "partition", May: limits(asFaults(checker.MutualExclusion), noOrder, stuck)},
		{Scenario: "node-restart", May: limits(asFaults(checker.MutualExclusion), noOrder, stuck)},
		{Scenario: "watchdog-late", May: stuck, Vacuous: true, Reason: "Nothing of it runs out; a request for permits is executed when it has been given back already."},
	}},
	{"permit-semaphore", "Each permit has an end that its holder knows, so nothing is a fault of its own; a store that forgets gives more than there are.", append(slices.Clip(likeShared), lateRenewal)},
	{"latch", "What was counted stays counted, however often it was asked; a store that forgets the latch opens it, and one that forgets a count keeps it closed.", []Expectation{
		{Scenario: "failover-loss", Must: limits(noOrder), May: limits(stuck)},
		{Scenario: "two-step-release", May: all(stuck, limits(noOrder)), Vacuous: true, Reason: "Nobody releases a latch. A late request may close it again."},
		{Scenario: "late-request", May: all(stuck, limits(noOrder)), Reason: "A late request may close the latch again."},
		{Scenario: "partition", May: limits(noOrder, stuck)},
		{Scenario: "node-restart", May: limits(noOrder, stuck)},
		{Scenario: "watchdog-late", May: all(stuck, limits(noOrder)), Vacuous: true, Reason: "Nothing of it runs out; a late request may close the latch again."},
	}},
	{"barrier", "Whoever waits says from time to time that it is there; a store that forgets a generation lets those wait again who have not heard of it.", []Expectation{
		{Scenario: "failover-loss", Must: limits(noOrder), May: limits(stuck)},
		{Scenario: "two-step-release", May: all(stuck, limits(noOrder)), Vacuous: true, Reason: "Nobody releases a barrier. " + forgottenGeneration},
		{Scenario: "late-reply", May: all(stuck, limits(noOrder)), Reason: forgottenGeneration},
		{Scenario: "partition", May: limits(noOrder, stuck)},
		{Scenario: "node-restart", May: limits(noOrder, stuck)},
		{Scenario: "watchdog-late", Must: all(stuck, limits(noOrder)), Reason: "A request that is executed when it has long been sent again, and its generation is forgotten, counts as one more who has come."},
	}},
	{"segmented", "The items are taken in one step that looks for the locks and the items, and an order is remembered; a store that forgets what was taken sells it again.", []Expectation{
		{Scenario: "failover-loss", Must: limits(noOrder)},
		{Scenario: "two-step-release", May: limits(noOrder), Reason: "An answer is later than the order is remembered, which is as long as a lease: it is asked for again, and told that the locks are lost."},
		{Scenario: "late-reply", Must: limits(noOrder), Reason: "An answer is later than the order is remembered, which is as long as a lease: it is asked for again, and told that the locks are lost."},
		{Scenario: "late-request", May: limits(noOrder)},
		{Scenario: "hung-node", May: limits(noOrder)},
		{Scenario: "watchdog-late", Must: limits(noOrder), Reason: "An order is remembered for as long as a lease, and asked for again later than that."},
		{Scenario: "partition", May: limits(noOrder)},
		{Scenario: "node-restart", May: limits(noOrder)},
	}},
}

// likeShared is what is expected of leases that tell their end and of which
// several stand at once.
var likeShared = []Expectation{
	{Scenario: "failover-loss", Must: limits(twoLeases), May: limits(gaps, noOrder, harm)},
	{Scenario: "gc-pause", Must: limits(overruns), May: limits(harm)},
	{Scenario: "two-step-release", Must: limits(overruns), May: limits(harm), Reason: "An access is held back on its way to the resource until the lease is over."},
	{Scenario: "partition", Must: limits(twoLeases), May: limits(gaps, noOrder, harm)},
	{Scenario: "node-restart", Must: limits(twoLeases), May: limits(gaps, noOrder, harm)},
	{Scenario: "server-clock-jump", Must: limits(twoLeases), May: limits(noOrder, harm)},
	{Scenario: "hung-node", Settings: set("weak=1"), Must: lateKey, Reason: askedTwice},
}
