package builtin

import (
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

var (
	// harm is done by two holders at once.
	harm = expect.Faults(checker.MutualExclusion, checker.Linearizable, checker.NoLostUpdate)
	// both is that two hold the lock at once.
	both = expect.Limits(expect.Faults(checker.MutualExclusion))
	// overrun is an access that takes effect when the holder's claim is over.
	overrun  = expect.Limits(expect.Faults(checker.Overrun))
	stuck    = expect.Faults(checker.Progress)
	lateLoss = expect.Faults(checker.TimelyLoss)
	// oversold is a stock that sells what it does not have.
	oversold = expect.Faults(checker.Linearizable)
	// untrue is a release that reports success to a client that did not have the lock.
	untrue = expect.Faults(checker.TruthfulRelease)
)

// What scenarios do not show of some locks, for want of what happens in them.
const (
	noEnd      = "The lock does not end by itself."
	noOwnLease = "A stock is held by nobody, and an order has no lease."
	// noTransaction is of named locks.
	noTransaction = "A named lock needs no transaction."
	// noRow is of table locks.
	noRow = "LOCK TABLES locks no row, and needs no transaction."
)

var lockExpectations = []expect.Expectations{
	{Lock: "db-unique", Reason: "The row has no end: that of a holder that crashes stays, and so does one that is inserted when its client has given up, or whose deletion a failover loses. Waiters wait for ever.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: both, May: expect.All(expect.Limits(harm), stuck)},
		{Scenario: "two-step-release", May: stuck, Vacuous: true, Reason: noEnd},
		{Scenario: "holder-crash", Must: stuck},
		{Scenario: "lost-reply", May: stuck},
		{Scenario: "late-reply", May: stuck, Vacuous: true, Reason: noEnd},
		{Scenario: "late-request", Must: stuck},
		{Scenario: "hung-node", May: stuck, Vacuous: true, Reason: "A statement that is given up is closed with its connection."},
		{Scenario: "partition", Must: both, May: expect.All(expect.Limits(harm), stuck)},
		{Scenario: "cancel", May: stuck},
		{Scenario: "watchdog-late", May: stuck, Vacuous: true, Reason: noEnd},
		{Scenario: "session-expiry", May: stuck},
	}},
	{Lock: "db-unique-lease", Reason: "It claims the lock from when it sends its UPDATE, and the server counts from when it begins it. So only a holder that is stopped or late between its last look and the access comes too late, and a server that forgets or whose clock jumps.", In: []expect.Expectation{
		{Scenario: "failover-loss", May: leaseForgotten},
		{Scenario: "gc-pause", May: overrun},
		{Scenario: "two-step-release", Must: overrun},
		{Scenario: "clock-skew", May: overrun},
		{Scenario: "server-clock-jump", Must: both, May: leaseForgotten},
		{Scenario: "hung-node", May: overrun},
		{Scenario: "partition", Must: both, May: leaseForgotten},
		{Scenario: "watchdog-late", May: overrun, Vacuous: true, Reason: "Its holders give up before their leases end."},
	}},
	{Lock: "db-row", Reason: "The lock ends with its connection, and nobody notifies the holder: a connection that breaks, a restart and a failover let another have it. Its transaction cannot commit then, but what it protects is elsewhere.", In: rowLock()},
	{Lock: "db-table", Reason: "As db-row: the lock ends with its connection, and nobody notifies the holder.", In: rowLock(
		expect.Expectation{Scenario: "lost-commit", Vacuous: true, Reason: noRow},
		expect.Expectation{Scenario: "deadlock", Vacuous: true, Reason: noRow})},
	{Lock: "db-named", Reason: "The lock ends with its connection, and the holder learns of it with its next query. Until then two may hold it.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: both, May: connectionLost},
		{Scenario: "gc-pause", Must: both, May: connectionLost},
		{Scenario: "two-step-release", Must: overrun, May: connectionLost},
		{Scenario: "clock-skew", May: connectionLost},
		{Scenario: "late-reply", May: connectionLost},
		{Scenario: "late-request", May: connectionLost},
		{Scenario: "lost-reply", May: connectionLost},
		{Scenario: "hung-node", May: connectionLost},
		{Scenario: "partition", Must: both, May: connectionLost},
		{Scenario: "node-restart", Must: both, May: connectionLost},
		{Scenario: "watchdog-late", May: connectionLost},
		{Scenario: "lost-wakeup", Must: both, May: connectionLost},
		{Scenario: "session-expiry", May: connectionLost},
		{Scenario: "lost-commit", Vacuous: true, Reason: noTransaction},
		{Scenario: "deadlock", Vacuous: true, Reason: noTransaction},
	}},
}

// rowLock is what is expected of locks that are a row's, but for the given scenarios.
func rowLock(but ...expect.Expectation) []expect.Expectation {
	list := []expect.Expectation{
		{Scenario: "failover-loss", Must: both, May: expect.Limits(harm)},
		{Scenario: "two-step-release", Vacuous: true, Reason: noEnd},
		{Scenario: "partition", Must: both, May: expect.Limits(harm)},
		{Scenario: "node-restart", Must: both, May: expect.Limits(harm)},
		{Scenario: "watchdog-late", Vacuous: true, Reason: noEnd},
		{Scenario: "lost-wakeup", Must: both, May: expect.Limits(harm)},
		{Scenario: scenarios.Storm, May: expect.All(harm, lateLoss)},
	}
	return expect.Instead(list, but...)
}

var (
	// leaseForgotten is what a server does that forgets a lease, or ends it early.
	leaseForgotten = expect.All(overrun, expect.Limits(expect.Faults(checker.MutualExclusion, checker.NoLostUpdate, checker.Fencing, checker.LeaseHonesty)))
	// connectionLost is what a lock may violate that ends with its connection.
	connectionLost = expect.All(overrun, expect.Limits(expect.Faults(checker.MutualExclusion, checker.NoLostUpdate)))
)

var stockExpectations = []expect.Expectations{
	{Lock: "db-pessimistic", Reason: "The items change in the transaction that locks them, so that a lock that ends early harms nothing. A failover that loses orders sells their items again, and one that loses the stock's own row leaves nothing to sell.", In: stocks},
	{Lock: "db-optimistic", Reason: "As db-pessimistic; it compares a version and locks nothing before.", In: stocks},
}

var stocks = []expect.Expectation{
	{Scenario: "failover-loss", Must: expect.Limits(oversold), May: expect.Limits(stuck)},
	{Scenario: "two-step-release", Vacuous: true, Reason: noOwnLease},
	{Scenario: "late-reply", Vacuous: true, Reason: noOwnLease},
	{Scenario: "hung-node", Vacuous: true, Reason: "A statement that is given up is closed with its connection."},
	{Scenario: "partition", Must: expect.Limits(oversold), May: expect.Limits(stuck)},
}

var flawedExpectations = []expect.Expectations{
	{Lock: "db-optimistic-as-printed", Reason: "The version is compared with itself: orders that have read the same number all take their items. No fault is needed.", In: expect.Everywhere(oversold, expect.Limits(expect.All(oversold, stuck)),
		expect.Expectation{Scenario: "two-step-release", Must: oversold, May: expect.Limits(oversold), Vacuous: true, Reason: noOwnLease},
		expect.Expectation{Scenario: "late-reply", Must: oversold, May: expect.Limits(oversold), Vacuous: true, Reason: noOwnLease},
		expect.Expectation{Scenario: "hung-node", Must: oversold, May: expect.Limits(oversold), Vacuous: true, Reason: "A statement that is given up is closed with its connection."})},
	{Lock: "db-optimistic-no-version", Reason: "It compares the owner, who may have come back (ABA): a client that read an ended lease takes the live one that the same process has got since, and a late release ends the process's next lease.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: both, May: leaseForgotten},
		{Scenario: "gc-pause", May: expect.All(leaseForgotten, stolen)},
		{Scenario: "two-step-release", Must: expect.Faults(checker.MutualExclusion), May: expect.All(leaseForgotten, stolen)},
		{Scenario: "clock-skew", May: expect.All(leaseForgotten, stolen)},
		{Scenario: "server-clock-jump", Must: both, May: expect.All(leaseForgotten, stolen)},
		{Scenario: "lost-reply", May: stolen},
		{Scenario: "late-reply", Must: expect.Faults(checker.MutualExclusion), May: expect.All(leaseForgotten, stolen)},
		{Scenario: "late-request", Must: expect.Faults(checker.OwnerOnlyRelease), May: expect.All(leaseForgotten, stolen)},
		{Scenario: "hung-node", May: expect.All(leaseForgotten, stolen)},
		{Scenario: "partition", Must: both, May: expect.All(leaseForgotten, stolen)},
		{Scenario: "cancel", May: expect.All(leaseForgotten, stolen)},
		{Scenario: "watchdog-late", May: expect.All(leaseForgotten, stolen), Vacuous: true, Reason: "Its holders give up before their leases end."},
		{Scenario: "session-expiry", May: expect.All(leaseForgotten, stolen)},
		{Scenario: "lost-wakeup", May: stolen},
		{Scenario: "lost-commit", Must: expect.Faults(checker.MutualExclusion), May: stolen, Reason: "A lease whose commit was not answered ends by itself, and its process takes the lock again under the same name while another compares."},
	}},
	{Lock: "db-row-noted", Reason: "As db-row; and a holder that waits for a second connection waits for the threads that wait for it.", In: rowLock(
		expect.Expectation{Scenario: "pool-exhausted", Must: stuck},
		expect.Expectation{
			Scenario: scenarios.Storm, May: expect.All(harm, lateLoss, expect.Faults(checker.TruthfulAcquire)),
			Reason: "The connection that has the lock may break while the note is made.",
		})},
	{Lock: "db-row-retried", Reason: "As db-row; and after a deadlock it repeats a statement that locks nothing any more.", In: rowLock(
		expect.Expectation{Scenario: "deadlock", Must: expect.Faults(checker.MutualExclusion, checker.TruthfulAcquire), May: expect.All(harm, untrue)})},
	{Lock: "db-row-autocommit", Reason: "Its statement is a transaction by itself, which ends with the answer, and the row lock with it. No fault is needed.", In: expect.Everywhere(harm, expect.Limits(harm))},
	{Lock: "db-named-pooled", Reason: "The lock is the connection's: another thread on the same connection has it at once, and a release on another connection releases nothing. No fault is needed.", In: expect.Everywhere(expect.Faults(checker.MutualExclusion), pooled,
		expect.Expectation{Scenario: "two-step-release", Must: expect.Faults(checker.MutualExclusion), May: pooled, Vacuous: true, Reason: noEnd},
		expect.Expectation{Scenario: "watchdog-late", Must: expect.Faults(checker.MutualExclusion), May: pooled, Vacuous: true, Reason: noEnd})},
}

var (
	// stolen is a live lease that another takes, or ends.
	stolen = expect.All(harm, untrue, expect.Faults(checker.OwnerOnlyRelease, checker.LeaseHonesty, checker.TruthfulExtend))
	// pooled is what a lock may violate that belongs to a connection when clients share a pool.
	pooled = expect.All(harm, expect.Limits(harm), lateLoss, untrue, stuck, expect.Faults(checker.NoOrphan, checker.OwnerOnlyRelease, checker.TruthfulAcquire), expect.Limits(lateLoss))
)
