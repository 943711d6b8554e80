package builtin

import (
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/expect"
)

// An order of the calls is missing.
var noOrder = expect.Faults(checker.Linearizable)

// A generation of a barrier is remembered for a lease, and go-redis may ask again
// later than that.
const forgottenGeneration = "An answer is later than a generation is remembered: who is asked again says that it is there, of the next one."

// sharedExpectations are those of the kinds that are no mutex.
var sharedExpectations = []expect.Expectations{
	{Lock: "readwrite", Reason: "Each share has an end that its holder knows, so nothing is a fault of its own; a store that forgets lets a writer in beside others.", In: append(slices.Clip(likeShared), lateRenewal)},
	{Lock: "semaphore", Reason: "Its permits have no lease: what a crashed holder has, what a release that the store forgets was to give back, and what a late request takes for nobody, is gone for good.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: expect.Limits(expect.Faults(checker.MutualExclusion)), May: expect.Limits(noOrder, stuck)},
		{Scenario: "two-step-release", May: stuck, Reason: "A request for permits is executed when it has been given back already."},
		{Scenario: "late-request", May: stuck, Reason: "A request for permits is executed when it has been given back already."},
		{Scenario: "late-reply", May: stuck},
		{Scenario: "hung-node", May: stuck},
		{Scenario: "holder-crash", Must: stuck},
		{Scenario: "partition", May: expect.Limits(expect.Faults(checker.MutualExclusion), noOrder, stuck)},
		{Scenario: "node-restart", May: expect.Limits(expect.Faults(checker.MutualExclusion), noOrder, stuck)},
		{Scenario: "watchdog-late", May: stuck, Vacuous: true, Reason: "Nothing of it runs out; a request for permits is executed when it has been given back already."},
	}},
	{Lock: "permit-semaphore", Reason: "Each permit has an end that its holder knows, so nothing is a fault of its own; a store that forgets gives more than there are.", In: append(slices.Clip(likeShared), lateRenewal)},
	{Lock: "latch", Reason: "What was counted stays counted, however often it was asked; a store that forgets the latch opens it, and one that forgets a count keeps it closed.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: expect.Limits(noOrder), May: expect.Limits(stuck)},
		{Scenario: "two-step-release", May: expect.All(stuck, expect.Limits(noOrder)), Vacuous: true, Reason: "Nobody releases a latch. A late request may close it again."},
		{Scenario: "late-request", May: expect.All(stuck, expect.Limits(noOrder)), Reason: "A late request may close the latch again."},
		{Scenario: "partition", May: expect.Limits(noOrder, stuck)},
		{Scenario: "node-restart", May: expect.Limits(noOrder, stuck)},
		{Scenario: "watchdog-late", May: expect.All(stuck, expect.Limits(noOrder)), Vacuous: true, Reason: "Nothing of it runs out; a late request may close the latch again."},
	}},
	{Lock: "barrier", Reason: "Whoever waits says from time to time that it is there; a store that forgets a generation lets those wait again who have not heard of it.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: expect.Limits(noOrder), May: expect.Limits(stuck)},
		{Scenario: "two-step-release", May: expect.All(stuck, expect.Limits(noOrder)), Vacuous: true, Reason: "Nobody releases a barrier. " + forgottenGeneration},
		{Scenario: "late-reply", May: expect.All(stuck, expect.Limits(noOrder)), Reason: forgottenGeneration},
		{Scenario: "partition", May: expect.Limits(noOrder, stuck)},
		{Scenario: "node-restart", May: expect.Limits(noOrder, stuck)},
		{Scenario: "watchdog-late", Must: expect.All(stuck, expect.Limits(noOrder)), Reason: "A request that is executed when it has long been sent again, and its generation is forgotten, counts as one more who has come."},
	}},
	{Lock: "segmented", Reason: "The items are taken in one step that looks for the locks and the items, and an order is remembered; a store that forgets what was taken sells it again.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: expect.Limits(noOrder)},
		{Scenario: "two-step-release", May: expect.Limits(noOrder), Reason: "An answer is later than the order is remembered, which is as long as a lease: it is asked for again, and told that the locks are lost."},
		{Scenario: "late-reply", Must: expect.Limits(noOrder), Reason: "An answer is later than the order is remembered, which is as long as a lease: it is asked for again, and told that the locks are lost."},
		{Scenario: "late-request", May: expect.Limits(noOrder)},
		{Scenario: "hung-node", May: expect.Limits(noOrder)},
		{Scenario: "watchdog-late", Must: expect.Limits(noOrder), Reason: "An order is remembered for as long as a lease, and asked for again later than that."},
		{Scenario: "partition", May: expect.Limits(noOrder)},
		{Scenario: "node-restart", May: expect.Limits(noOrder)},
	}},
}

// likeShared is what is expected of leases that tell their end and of which
// several stand at once.
var likeShared = []expect.Expectation{
	{Scenario: "failover-loss", Must: expect.Limits(twoLeases), May: expect.Limits(gaps, noOrder, harm)},
	{Scenario: "gc-pause", Must: expect.Limits(overruns), May: expect.Limits(harm)},
	{Scenario: "two-step-release", Must: expect.Limits(overruns), May: expect.Limits(harm), Reason: "An access is held back on its way to the resource until the lease is over."},
	{Scenario: "partition", Must: expect.Limits(twoLeases), May: expect.Limits(gaps, noOrder, harm)},
	{Scenario: "node-restart", Must: expect.Limits(twoLeases), May: expect.Limits(gaps, noOrder, harm)},
	{Scenario: "server-clock-jump", Must: expect.Limits(twoLeases), May: expect.Limits(noOrder, harm)},
	{Scenario: "hung-node", Settings: expect.Set("weak=1"), Must: lateKey, Reason: askedTwice},
}
