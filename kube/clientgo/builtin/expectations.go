package builtin

import (
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

var (
	// stopped is what a leader does that is stopped, or late, after its Lease: it has no end that it could look at.
	stopped = expect.Limits(expect.Faults(checker.MutualExclusion, checker.NoLostUpdate, checker.Overrun))
	// late is what follows if a request or an answer is late. A leader counts its lease from the answer. A candidate compares
	// records, whose times are whole seconds, so it misses a renewal that was sent in the same second as the one before.
	late = expect.Faults(checker.TimelyLoss, checker.TruthfulAcquire, checker.MutualExclusion, checker.NoLostUpdate, checker.OwnerOnlyRelease)
	// successor is what follows if a leader releases the Lease of its successor.
	successor = expect.Faults(checker.TruthfulRelease, checker.MutualExclusion, checker.NoLostUpdate)
	left      = expect.Faults(checker.NoOrphan)
)

// Families are the locks with what is expected of them, in the order of [Locks].
func Families() []expect.Family {
	return []expect.Family{{Title: "Kubernetes: client-go's leader election", Expectations: []expect.Expectations{ofElector, ofRelease, ofCareful}}}
}

// ofElector is expected of an elector by default.
var ofElector = expect.Expectations{
	Lock: "kube-elector",
	Reason: "It never releases its Lease, so that others wait for the end of each. A leader that is late does not notice: it has a deadline " +
		"for its renewals, which begins anew with each answer.",
	In: unreleased(),
}

// unreleased is what follows everywhere if nothing is released.
func unreleased() (list []expect.Expectation) {
	for _, s := range []string{
		"contention", "failover-loss", "gc-pause", "two-step-release", "holder-crash", "clock-skew", "server-clock-jump", "lost-reply", "late-reply",
		"late-request", "hung-node", "partition", "node-restart", "cancel", "lost-wakeup", "stale-follower", "election", "server-errors",
	} {
		list = append(list, expect.Expectation{Scenario: s, Must: left, May: expect.All(expect.Faults(checker.Progress), stopped, late)})
	}
	return append(list,
		expect.Expectation{Scenario: "watchdog-late", May: expect.All(left, expect.Faults(checker.Progress), stopped, late)},
		expect.Expectation{Scenario: scenarios.Storm, May: expect.All(left, expect.Faults(checker.Progress), stopped, late)},
	)
}

// ofRelease is expected of an elector with ReleaseOnCancel.
var ofRelease = expect.Expectations{
	Lock: "kube-elector-release",
	Reason: "A leader that was paused releases the Lease of its successor: it reads it, for its version, and does not look whose it is. An answer that is " +
		"late makes a leader of a candidate whose Lease has ended. A candidate that stops while a request is under way leaves a Lease.",
	In: append(expect.Instead(delayed(), expect.Expectation{Scenario: "late-request", May: expect.All(late, successor), Reason: "A leader whose requests are late releases the Lease of its successor as well."}),
		[]expect.Expectation{
			{Scenario: "gc-pause", Must: expect.Faults(checker.OwnerOnlyRelease), May: expect.All(successor, stopped, late)},
			{Scenario: "two-step-release", May: stopped},
			{Scenario: "cancel", Must: left},
			{Scenario: "server-errors", May: left, Reason: "A release that an API server answers with an error is not repeated."},
			{Scenario: scenarios.Storm, May: expect.All(expect.Faults(checker.OwnerOnlyRelease), successor, stopped, late, left)},
		}...),
}

// delayed is what may follow from late answers.
func delayed() (list []expect.Expectation) {
	for _, s := range []string{"failover-loss", "late-reply", "late-request", "hung-node", "partition", "node-restart", "watchdog-late", "lost-wakeup", "stale-follower", "election"} {
		list = append(list, expect.Expectation{Scenario: s, May: late})
	}
	return list
}

// ofCareful is expected of an elector that is used with care.
var ofCareful = expect.Expectations{
	Lock: "kube-elector-careful",
	Reason: "Requests that end after half of the deadline make no leader too late, and the lock that it is given refuses to release what is another's. " +
		"A leader still has no end that it could look at.",
	In: []expect.Expectation{
		{Scenario: "gc-pause", May: stopped},
		{Scenario: "two-step-release", May: stopped},
		{Scenario: "cancel", Must: left},
		{Scenario: "server-errors", May: left, Reason: "A release that an API server answers with an error is not repeated."},
		{Scenario: "watchdog-late", May: stopped, Vacuous: true, Reason: "A renewal is given up and repeated before the Lease ends."},
		{Scenario: "stale-follower", May: stopped},
		{Scenario: "election", May: stopped},
		{Scenario: scenarios.Storm, May: expect.All(stopped, left)},
	},
}
