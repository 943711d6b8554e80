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
	// noRow is of locks that are a session's or a transaction's, without a row.
	noRow = "An advisory lock is no row, and its transactions change nothing."
)

var (
	// leaseForgotten is what a server does that forgets a lease, or ends it early.
	leaseForgotten = expect.All(overrun, expect.Limits(expect.Faults(checker.MutualExclusion, checker.NoLostUpdate, checker.Fencing, checker.LeaseHonesty)))
	// connectionLost is what a lock may violate that ends with its connection.
	connectionLost = expect.All(overrun, expect.Limits(expect.Faults(checker.MutualExclusion, checker.NoLostUpdate)))
	// stolen is a live lease that another takes, or ends.
	stolen = expect.All(harm, untrue, expect.Faults(checker.OwnerOnlyRelease, checker.LeaseHonesty, checker.TruthfulExtend))
	// poolFails is what a lock may violate that belongs to a session when clients share a pool.
	poolFails = expect.All(harm, expect.Limits(harm), lateLoss, untrue, stuck, expect.Faults(checker.NoOrphan, checker.OwnerOnlyRelease, checker.TruthfulAcquire), expect.Limits(lateLoss))
)

// session is what is expected of locks that end with their session, but for the given scenarios.
func session(but ...expect.Expectation) []expect.Expectation {
	return expect.Instead([]expect.Expectation{
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
		{Scenario: "lost-commit", May: connectionLost},
	}, but...)
}

// leases is what is expected of sound leases.
var leases = []expect.Expectation{
	{Scenario: "failover-loss", May: leaseForgotten},
	{Scenario: "gc-pause", May: overrun},
	{Scenario: "two-step-release", Must: overrun},
	{Scenario: "clock-skew", May: overrun},
	{Scenario: "server-clock-jump", Must: both, May: leaseForgotten},
	{Scenario: "hung-node", May: overrun},
	{Scenario: "partition", Must: both, May: leaseForgotten},
	{Scenario: "watchdog-late", May: overrun, Vacuous: true, Reason: "Its holders give up before their leases end."},
}

var lockExpectations = []expect.Expectations{
	{Lock: "pg-advisory", Reason: "The lock ends with its session, and the holder learns of it with its next question. Until then two may hold it.", In: session(
		expect.Expectation{Scenario: "lost-commit", Vacuous: true, Reason: noRow},
		expect.Expectation{Scenario: "deadlock", Vacuous: true, Reason: noRow})},
	{Lock: "pg-advisory-xact", Reason: "As pg-advisory: the lock ends with its transaction, and so with its session.", In: session(
		expect.Expectation{Scenario: "lost-commit", Vacuous: true, Reason: noRow},
		expect.Expectation{Scenario: "deadlock", Vacuous: true, Reason: noRow})},
	{Lock: "pg-row", Reason: "As pg-advisory-xact.", In: session()},
	{Lock: "pg-lease", Reason: "It claims the lock from when it sends its statement, and the server counts from when it has the row. So only a holder that is stopped or late between its last look and the access comes too late, and a server that forgets or whose clock jumps.", In: leases},
	{Lock: "pg-notify", Reason: "As pg-lease: a notification that is lost costs time alone.", In: leases},
}

var stockExpectations = []expect.Expectations{
	{Lock: "pg-pessimistic", Reason: "The items change in the transaction that locks them, so that a lock that ends early harms nothing. A failover that loses orders sells their items again, and one that loses the stock's own row leaves nothing to sell.", In: stocks},
	{Lock: "pg-optimistic", Reason: "As pg-pessimistic; it compares a version and locks nothing before.", In: stocks},
	{Lock: "pg-skip-locked", Reason: "As pg-pessimistic, with a row for each item.", In: stocks},
}

var stocks = []expect.Expectation{
	{Scenario: "failover-loss", Must: expect.Limits(oversold), May: expect.Limits(stuck)},
	{Scenario: "two-step-release", Vacuous: true, Reason: noOwnLease},
	{Scenario: "late-reply", Vacuous: true, Reason: noOwnLease},
	{Scenario: "late-request", Vacuous: true, Reason: "The server ends a transaction whose client is silent for a lease, before a request that is later than that arrives."},
	{Scenario: "hung-node", Vacuous: true, Reason: "A statement that is given up is closed with its connection."},
	{Scenario: "partition", Must: expect.Limits(oversold), May: expect.Limits(stuck)},
}

// plain is what is expected of locks that end with their session and do not learn of that, but for the given
// scenarios.
func plain(but ...expect.Expectation) []expect.Expectation {
	return expect.Instead([]expect.Expectation{
		{Scenario: "failover-loss", Must: both, May: expect.Limits(harm)},
		{Scenario: "two-step-release", Vacuous: true, Reason: noEnd},
		{Scenario: "partition", Must: both, May: expect.Limits(harm)},
		{Scenario: "node-restart", Must: both, May: expect.Limits(harm)},
		{Scenario: "watchdog-late", Vacuous: true, Reason: noEnd},
		{Scenario: "lost-wakeup", Must: both, May: expect.Limits(harm)},
		{Scenario: "lost-commit", Vacuous: true, Reason: noRow},
		{Scenario: "deadlock", Vacuous: true, Reason: noRow},
		{Scenario: scenarios.Storm, May: expect.All(harm, lateLoss)},
	}, but...)
}

// wrongLeases is what is expected of leases that another may take, or that are over when they are granted, but for the
// given scenarios.
func wrongLeases(but ...expect.Expectation) []expect.Expectation {
	wrong := expect.All(leaseForgotten, stolen, expect.Faults(checker.TruthfulAcquire, checker.Overrun))
	var list []expect.Expectation
	for _, id := range []string{
		"failover-loss", "gc-pause", "two-step-release", "clock-skew", "server-clock-jump", "lost-reply", "late-reply", "late-request", "hung-node", "partition", "node-restart",
		"cancel", "watchdog-late", "session-expiry", "lost-wakeup", "lost-commit", "holder-crash", "pool-exhausted",
	} {
		list = append(list, expect.Expectation{Scenario: id, May: wrong, Vacuous: id == "watchdog-late"})
	}
	for i := range but {
		but[i].May = wrong
	}
	return expect.Instead(list, but...)
}

var flawedExpectations = []expect.Expectations{
	{Lock: "pg-advisory-pooler", Reason: "Each transaction runs in any session of the pooler, so the lock is held by all who get its session, or for ever. No fault is needed.", In: expect.Everywhere(expect.Faults(checker.MutualExclusion), expect.All(poolFails, overrun))},
	{Lock: "pg-advisory-pooled", Reason: "The lock is the session's: another thread in the same session has it at once, and a release in another session releases nothing. No fault is needed.", In: expect.Everywhere(expect.Faults(checker.MutualExclusion), poolFails,
		expect.Expectation{Scenario: "two-step-release", Must: expect.Faults(checker.MutualExclusion), May: poolFails, Vacuous: true, Reason: noEnd},
		expect.Expectation{Scenario: "watchdog-late", Must: expect.Faults(checker.MutualExclusion), May: poolFails, Vacuous: true, Reason: noEnd})},
	{Lock: "pg-advisory-cancelled", Reason: "A release whose context has ended sends nothing, and the pool takes the connection back with the lock.", In: plain(
		expect.Expectation{Scenario: "cancel", Must: stuck, May: poolFails})},
	{Lock: "pg-advisory-conn-returned", Reason: "The session lives on in the pool, with the lock. No fault is needed.", In: expect.Everywhere(stuck, poolFails)},
	{Lock: "pg-lease-upsert", Reason: "A renewal that comes late takes the lease of the next owner.", In: wrongLeases(
		expect.Expectation{Scenario: "gc-pause", Must: expect.Faults(checker.MutualExclusion)})},
	{Lock: "pg-lease-excluded", Reason: "The end is computed before the wait for the row, and its owner counts from the answer.", In: wrongLeases(
		expect.Expectation{Scenario: "late-request", Must: expect.Faults(checker.MutualExclusion)})},
	{Lock: "pg-election-excluded", Reason: "A renewal extends the row of any leader, and its sender believes that it leads.", In: wrongLeases(
		expect.Expectation{Scenario: "gc-pause", Must: expect.Faults(checker.MutualExclusion)})},
	{Lock: "pg-optimistic-no-version", Reason: "It compares the owner, who may have come back (ABA): a client that read an ended lease takes the live one that the same process has got since, and a late release ends the process's next lease.", In: wrongLeases(
		expect.Expectation{Scenario: "late-request", Must: expect.Faults(checker.MutualExclusion, checker.OwnerOnlyRelease)})},
	{Lock: "pg-optimistic-as-printed", Reason: "The version is compared with itself: orders that have read the same number all take their items. No fault is needed.", In: oversells},
	{Lock: "pg-skip-locked-unlocked", Reason: "An item that another order has chosen and not yet committed is chosen again. No fault is needed.", In: oversells},
}

var oversells = expect.Everywhere(oversold, expect.Limits(expect.All(oversold, stuck)),
	expect.Expectation{Scenario: "two-step-release", Must: oversold, May: expect.Limits(oversold), Vacuous: true, Reason: noOwnLease},
	expect.Expectation{Scenario: "late-reply", Must: oversold, May: expect.Limits(oversold), Vacuous: true, Reason: noOwnLease},
	expect.Expectation{Scenario: "late-request", Must: oversold, May: expect.Limits(oversold), Vacuous: true, Reason: "The server ends a transaction whose client is silent for a lease."},
	expect.Expectation{Scenario: "hung-node", Must: oversold, May: expect.Limits(oversold), Vacuous: true, Reason: "A statement that is given up is closed with its connection."})
