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

// What scenarios do not show of some locks, for want of what happens in them.
const (
	noEnd  = "An object does not end by itself."
	refuse = "A PUT that was given up is refused when it arrives after another one has changed the object."
)

var lockExpectations = []expect.Expectations{
	{Lock: "s3-lease", Reason: "It claims the lease until its end cannot have come yet by S3's clock. So only a holder that is stopped or late between its last look and the access comes too late, and a clock of S3's that jumps after the last answer ends the lease early. A PUT that is repeated or late is refused, since no content comes twice.", In: []expect.Expectation{
		{Scenario: "gc-pause", May: overrun},
		{Scenario: "two-step-release", Must: overrun},
		{Scenario: "clock-skew", May: overrun},
		{Scenario: "server-clock-jump", Must: both, May: early},
		{Scenario: "late-request", Vacuous: true, Reason: refuse},
		{Scenario: "hung-node", May: overrun},
		{Scenario: "partition", May: overrun},
		{Scenario: "watchdog-late", May: overrun},
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
	{Lock: "s3-repeated-put", Reason: "A PUT that was executed, and whose answer was lost, is repeated by the library and refused by the lock's own object. The lock takes it for another's, and nobody removes it.", In: orphans(
		expect.Expectation{Scenario: "lost-reply", Must: stuck},
		expect.Expectation{Scenario: "holder-crash", Must: stuck},
		expect.Expectation{Scenario: "cancel", Must: stuck},
		expect.Expectation{Scenario: "late-reply", Must: stuck},
		expect.Expectation{Scenario: "late-request", Must: stuck},
		expect.Expectation{Scenario: "node-restart", Must: stuck},
		expect.Expectation{Scenario: "lost-wakeup", Must: stuck},
		expect.Expectation{Scenario: "hung-node", Must: stuck},
	)},
}
