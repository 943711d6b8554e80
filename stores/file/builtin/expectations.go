package builtin

import (
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

var (
	// overrun is an access that takes effect when the holder's claim is over.
	overrun = expect.Limits(expect.Faults(checker.Overrun))
	stuck   = expect.Faults(checker.Progress)
	// two is that two hold the lock at once.
	two = expect.Faults(checker.MutualExclusion)
	// early is the outcome of a lease that the server ends early.
	early = expect.Limits(expect.Faults(checker.MutualExclusion, checker.NoLostUpdate, checker.LeaseHonesty))
)

// What scenarios do not show of a file, for want of what happens in them.
const (
	noEnd   = "A file does not end by itself."
	notLate = "A request that is not answered is sent again on another connection. The first one is refused when it comes."
)

var lockExpectations = []expect.Expectations{
	{Lock: "file-excl", Reason: "The file has no end: that of a holder that crashes stays, and the waiters wait for ever. Nobody removes another's file, and the server carries out each request once.", In: []expect.Expectation{
		{Scenario: "two-step-release", Vacuous: true, Reason: noEnd},
		{Scenario: "holder-crash", Must: stuck},
		{Scenario: "late-reply", Vacuous: true, Reason: notLate},
		{Scenario: "late-request", Vacuous: true, Reason: notLate},
		{Scenario: "watchdog-late", Vacuous: true, Reason: noEnd},
	}},
	{Lock: "file-flock", Reason: "It claims the lock for a lease from when the last request was sent that the server has answered. So only a holder that is stopped or late between its last look and the access comes too late, and a server whose clock jumps ends leases early. A server that restarts lets its clients reclaim their locks first.", In: []expect.Expectation{
		{Scenario: "gc-pause", May: overrun},
		{Scenario: "two-step-release", Must: overrun},
		{Scenario: "clock-skew", May: overrun},
		{Scenario: "server-clock-jump", Must: expect.Limits(two), May: expect.All(early, overrun)},
		{Scenario: "hung-node", May: overrun},
		{Scenario: "partition", May: overrun},
		{Scenario: "watchdog-late", May: overrun},
	}},
}

var (
	// taken is the outcome of a file that is removed in place of another.
	taken = expect.Faults(checker.MutualExclusion, checker.NoLostUpdate, checker.LeaseHonesty, checker.OwnerOnlyRelease)
	// takenMay is the same, and what becomes of leases that end.
	takenMay = expect.All(taken, overrun, early)
	// deafHarm is done by a holder that does not notice that it is none any more.
	deafHarm = expect.Faults(checker.MutualExclusion, checker.Linearizable, checker.NoLostUpdate, checker.TimelyLoss)
	// deafMay is the same, and what no holder could have helped.
	deafMay = expect.All(deafHarm, expect.Limits(expect.Faults(checker.MutualExclusion, checker.Linearizable, checker.NoLostUpdate)))
)

var flawedExpectations = []expect.Expectations{
	{Lock: "file-excl-stale", Reason: "Between the look at the file's age and its removal the file may have become another one, and the age is measured by two clocks.", In: breaking},
	{Lock: "file-excl-rename", Reason: "As file-excl-stale: what is renamed may be another file by then.", In: breaking},
	{Lock: "file-flock-deaf", Reason: "As file-flock, and it does not look at the end of its lease.", In: []expect.Expectation{
		{Scenario: "gc-pause", Must: expect.Faults(checker.MutualExclusion, checker.TimelyLoss), May: deafMay},
		{Scenario: "two-step-release", Vacuous: true, May: deafMay, Reason: "Its holder renews the lease until it releases the lock."},
		{Scenario: "server-clock-jump", Must: expect.Limits(two), May: deafMay},
		{Scenario: "late-reply", May: deafMay},
		{Scenario: "late-request", May: deafMay},
		{Scenario: "hung-node", May: deafMay},
		{Scenario: "partition", May: deafMay},
		{Scenario: "watchdog-late", Must: two, May: deafMay},
		{Scenario: "session-expiry", May: deafMay},
	}},
}

// breaking is what is expected of locks that break old files.
var breaking = []expect.Expectation{
	{Scenario: "gc-pause", Must: two, May: takenMay},
	{Scenario: "two-step-release", Must: overrun, May: takenMay},
	{Scenario: "clock-skew", Must: expect.Faults(checker.MutualExclusion, checker.OwnerOnlyRelease), May: takenMay},
	{Scenario: "server-clock-jump", Must: two, May: takenMay},
	{Scenario: "lost-reply", May: takenMay},
	{Scenario: "late-reply", May: takenMay},
	{Scenario: "late-request", May: takenMay},
	{Scenario: "hung-node", May: takenMay},
	{Scenario: "partition", May: takenMay},
	{Scenario: "watchdog-late", May: takenMay},
	{Scenario: "session-expiry", May: takenMay},
}
