package builtin

import (
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

var (
	stuck = expect.Faults(checker.Progress)
	// overrun is an access that takes effect when the holder's claim is over.
	overrun = expect.Limits(expect.Faults(checker.Overrun))
	// both is that two hold the lock at once.
	both = expect.Limits(expect.Faults(checker.MutualExclusion))
	// early is the outcome of a lease that ends early since S3's clock has jumped.
	early = expect.All(overrun, expect.Limits(expect.Faults(checker.MutualExclusion, checker.NoLostUpdate, checker.Fencing, checker.LeaseHonesty)))
)

// noEnd is what scenarios do not show of some locks, for want of what happens in them.
const noEnd = "An object does not end by itself."

var lockExpectations = []expect.Expectations{
	{Lock: "s3-lease", Reason: "It claims the lease until its end cannot have come yet by S3's clock. So only a holder that is stopped or late between its last look and the access comes too late, and a clock of S3's that jumps after the last answer ends the lease early. A PUT that is repeated or late is refused, since no content comes twice.", In: []expect.Expectation{
		{Scenario: "gc-pause", May: overrun},
		{Scenario: "two-step-release", Must: overrun},
		{Scenario: "clock-skew", May: overrun},
		{Scenario: "server-clock-jump", Must: both, May: early},
		{Scenario: "hung-node", May: overrun},
		{Scenario: "partition", May: overrun},
		{Scenario: "watchdog-late", May: overrun, Vacuous: true, Reason: "Its holders give up before their leases end."},
		{Scenario: scenarios.Storm, May: early},
	}},
	{Lock: "s3-object", Reason: "The object has no end: that of a holder that crashes stays. So does one that a PUT makes when it arrives after its client has given it up, made the object by another one and removed that. Nobody removes another's object.", In: orphans(
		expect.Expectation{Scenario: "holder-crash", Must: stuck},
		expect.Expectation{Scenario: "late-request", Must: stuck},
	)},
}

// orphans is what is expected of objects without an end, but for the given scenarios.
func orphans(but ...expect.Expectation) []expect.Expectation {
	return expect.Instead([]expect.Expectation{
		{Scenario: "two-step-release", May: stuck, Vacuous: true, Reason: noEnd},
		{Scenario: "late-reply", May: stuck},
		{Scenario: "hung-node", May: stuck},
		{Scenario: "partition", May: stuck},
		{Scenario: "watchdog-late", May: stuck, Vacuous: true, Reason: noEnd},
		{Scenario: "lost-wakeup", May: stuck},
		{Scenario: "cancel", May: stuck},
		{Scenario: scenarios.Storm, May: stuck},
	}, but...)
}

var flawedExpectations = []expect.Expectations{
	{Lock: "s3-repeated-put", Reason: "A PUT that was executed, and whose answer was lost, late or 500 InternalError, is repeated and refused by the lock's own object. The lock takes it for another's, and nobody removes it.", In: repeated(
		"lost-reply", "holder-crash", "cancel", "late-reply", "late-request", "lost-wakeup", "hung-node", "partition", "server-errors", scenarios.Storm,
	)},
}

// repeated is what is expected of a lock that gets stuck by a PUT of its own: it does in the given scenarios, and may in
// others.
func repeated(ids ...string) (list []expect.Expectation) {
	left := expect.All(stuck, expect.Faults(checker.NoOrphan))
	for _, id := range ids {
		list = append(list, expect.Expectation{Scenario: id, Must: stuck, May: left})
	}
	return append(list,
		expect.Expectation{Scenario: "gc-pause", May: left},
		expect.Expectation{Scenario: "node-restart", May: left},
		expect.Expectation{Scenario: "clock-skew", May: left},
		expect.Expectation{Scenario: "two-step-release", May: left, Vacuous: true, Reason: noEnd},
		expect.Expectation{Scenario: "watchdog-late", May: left, Vacuous: true, Reason: noEnd},
	)
}
