package builtin

import (
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

// An order of the calls is missing.
var noOrder = expect.Faults(checker.Linearizable)

// A generation of a barrier is remembered for a lease, and go-redis may ask again
// later than that.
const forgottenGeneration = "An answer arrives after the generation is forgotten: the repeated request counts for the next generation."

const keptPermits = "The answer that grants permits is lost, and neither a request that repeats it nor one that gives them back reaches the store in time."

// sharedExpectations are those of the kinds that are not mutexes.
var sharedExpectations = []expect.Expectations{
	{Lock: "readwrite", Reason: "Each share has an end that its holder knows, so it has no faults. A store that loses data lets a writer in beside others.", In: append(slices.Clip(likeShared), lateRenewal)},
	{Lock: "semaphore", Reason: "Its permits have no lease. The permits of a crashed holder, of a release that the store loses, and of a late request that nobody waits for, are lost for good.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: expect.Limits(expect.Faults(checker.MutualExclusion)), May: expect.All(expect.Limits(noOrder), stuck)},
		clustered(expect.Expectation{Scenario: "failover-loss", May: expect.All(expect.Limits(expect.Faults(checker.MutualExclusion), noOrder), stuck), MayBeUndecided: true, Reason: "A release names a permit whose request was not answered, of many of which nobody knows the outcome."}),
		{Scenario: "two-step-release", May: stuck, Reason: "A request for permits is executed after the release."},
		{Scenario: "late-request", May: stuck, Reason: "A request for permits is executed after the release."},
		{Scenario: "late-reply", May: stuck},
		{Scenario: "hung-node", May: stuck},
		{Scenario: "holder-crash", Must: stuck},
		{Scenario: "partition", May: expect.All(expect.Limits(expect.Faults(checker.MutualExclusion), noOrder), stuck)},
		{Scenario: "node-restart", May: expect.All(expect.Limits(expect.Faults(checker.MutualExclusion), noOrder), stuck)},
		{Scenario: "watchdog-late", May: stuck, Vacuous: true, Reason: "It has no leases; a request for permits is executed after the release."},
		{Scenario: "lost-wakeup", May: stuck, Reason: keptPermits},
		{Scenario: "storm", May: leftKey, Reason: keptPermits},
	}},
	{Lock: "permit-semaphore", Reason: "Each permit has an end that its holder knows, so it has no faults. A store that loses data grants more permits than there are.", In: append(slices.Clip(likeShared), lateRenewal)},
	{Lock: "latch", Reason: "A count is counted once, however often it is requested. A store that loses the latch opens it, and one that loses a count keeps it closed.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: expect.Limits(noOrder), May: stuck},
		{Scenario: "two-step-release", May: expect.All(stuck, expect.Either(noOrder)), Vacuous: true, Reason: "Nobody releases a latch. A late request may close it again."},
		{Scenario: "late-request", May: expect.All(stuck, expect.Either(noOrder)), Vacuous: true, Reason: "A late request may close the latch again. Where sentinels choose, dials and questions to them are late as well, and a request of the latch seldom is."},
		{Scenario: "partition", May: expect.All(expect.Limits(noOrder), stuck)},
		{Scenario: "node-restart", May: expect.All(expect.Limits(noOrder), stuck)},
		{Scenario: "watchdog-late", May: expect.All(stuck, expect.Either(noOrder)), Vacuous: true, Reason: "It has no leases; a late request may close the latch again."},
	}},
	{Lock: "barrier", Reason: "A waiting party announces itself from time to time. If the store loses a generation, the parties that have not heard of it wait again.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: expect.Limits(noOrder), May: stuck},
		{Scenario: "two-step-release", May: expect.All(stuck, expect.Limits(noOrder)), Vacuous: true, Reason: "Nobody releases a barrier. " + forgottenGeneration},
		{Scenario: "late-reply", May: expect.All(stuck, expect.Limits(noOrder)), Reason: forgottenGeneration},
		{Scenario: "late-request", May: expect.All(stuck, expect.Limits(noOrder)), Reason: forgottenGeneration},
		clustered(expect.Expectation{Scenario: "late-request", May: expect.All(stuck, expect.Limits(noOrder)), Vacuous: true, Reason: forgottenGeneration + " Questions for the slots are late as well, and a request of the barrier for which nobody waits any more is one in thousands of schedules."}),
		{Scenario: "partition", May: expect.All(expect.Limits(noOrder), stuck)},
		{Scenario: "node-restart", May: expect.All(expect.Limits(noOrder), stuck)},
		{Scenario: "watchdog-late", Must: expect.All(stuck, expect.Limits(noOrder)), Reason: "A request that is executed after its retry, when its generation is no longer remembered, counts as one more party."},
	}},
	{Lock: "segmented", Reason: "One step checks the locks and takes the items, and an order is remembered. A store that loses a sale sells the items again.", In: []expect.Expectation{
		clustered(expect.Expectation{Scenario: "migration", May: expect.Limits(noOrder), MayBeUndecided: true, Reason: "Requests that are refused while some of the keys have been moved have outcomes that are not known, too many of them for an order to be found."}),
		{Scenario: "failover-loss", Must: expect.Limits(noOrder)},
		{Scenario: "two-step-release", May: expect.Limits(noOrder), Reason: "An answer arrives after the order is forgotten, which takes as long as a lease. The answer to the repeated request is that the locks are lost."},
		{Scenario: "late-reply", Must: expect.Limits(noOrder), Reason: "An answer arrives after the order is forgotten, which takes as long as a lease. The answer to the repeated request is that the locks are lost."},
		{Scenario: "late-request", May: expect.Limits(noOrder)},
		{Scenario: "hung-node", May: expect.Limits(noOrder)},
		{Scenario: "watchdog-late", Must: expect.Limits(noOrder), Reason: "An order is remembered for as long as a lease, and requested again after that."},
		{Scenario: "partition", May: expect.Limits(noOrder)},
		{Scenario: "node-restart", May: expect.Limits(noOrder)},
	}},
}

// likeShared are the expectations of leases that report their end and of which
// several are held at once.
var likeShared = []expect.Expectation{
	{Scenario: "failover-loss", Must: expect.Limits(twoLeases), May: expect.Limits(gaps, noOrder, harm)},
	{Scenario: "gc-pause", Must: expect.Limits(overruns), May: expect.Limits(harm)},
	{Scenario: "two-step-release", Must: expect.Limits(overruns), May: expect.Limits(harm), Reason: "An access is delayed on its way to the resource until the lease is over."},
	{Scenario: "partition", Must: expect.Limits(twoLeases), May: expect.Limits(gaps, noOrder, harm)},
	{Scenario: "node-restart", Must: expect.Limits(twoLeases), May: expect.Limits(gaps, noOrder, harm)},
	{Scenario: "server-clock-jump", Must: expect.Limits(twoLeases), May: expect.Limits(noOrder, harm)},
	{Scenario: "hung-node", Settings: expect.Set("weak=1"), Must: lateKey, Reason: askedTwice},
}
