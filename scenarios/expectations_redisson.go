package scenarios

import "github.com/lockpick-dev/lockpick/checker"

// redissonExpectations are those of Redisson's family and of Redlock.
var redissonExpectations = []Expectations{
	{"reentrant", "It knows its holder and its end and cleans up, so nothing is a fault of its own; a store that forgets gives it two holders, and a pause between the look at the end and the access an overrun.", likeReentrant},
	{"watchdog", "It is reentrant; that it is renewed changes nothing for a holder that is paused, whose watchdog is paused as well.", likeReentrant},
	{"fair", "It is reentrant with a queue in front, and loses what reentrant loses.", likeReentrant},
	{"redlock", "A minority of servers that fail, hang or forget is no harm; a bare majority of which one forgets is none any more.", []Expectation{
		{Scenario: "failover-loss", May: all(twoLeases, harm)},
		{Scenario: "gc-pause", Must: overruns, May: harm},
		{Scenario: "two-step-release", Must: overruns, May: harm, Reason: "An access is held back on its way to the resource until the lease is over."},
		{Scenario: "partition", May: all(twoLeases, harm)},
		{Scenario: "node-restart", Must: twoLeases, May: harm},
		{Scenario: "server-clock-jump", Must: twoLeases, May: harm},
	}},
}

// likeReentrant is what is expected of a lease that tells its end and whose
// waiters are woken. Where the store forgets, those that are held to the order of
// their calls (readers, permits, re-entries) show it there as well.
var likeReentrant = []Expectation{
	{Scenario: "failover-loss", Must: twoLeases, May: all(harm, noOrder)},
	{Scenario: "gc-pause", Must: overruns, May: harm},
	{Scenario: "two-step-release", Must: overruns, May: harm, Reason: "An access is held back on its way to the resource until the lease is over."},
	{Scenario: "partition", Must: twoLeases, May: all(harm, noOrder)},
	{Scenario: "node-restart", Must: twoLeases, May: all(harm, noOrder)},
	{Scenario: "server-clock-jump", Must: twoLeases, May: all(harm, noOrder)},
}

// noOrder is what becomes of calls to a store that forgets, or that remembers for
// a shorter time than a client asks again.
var noOrder = []string{checker.Linearizable}

// sharedExpectations are those of what several may have at once, or meet at.
var sharedExpectations = []Expectations{
	{"readwrite", "It is as reentrant for a writer; readers that the store has forgotten are overlooked by the next writer.", likeReentrant},
	{"semaphore", "Its permits have no lease: what a client that ends for good has taken, or one whose request took effect when it had given up, is gone for good.", []Expectation{
		{Scenario: "failover-loss", May: all(twoHolders, stuck)},
		{Scenario: "two-step-release", May: stuck},
		{Scenario: "holder-crash", Must: stuck},
		{Scenario: "late-reply", May: stuck},
		{Scenario: "late-request", May: stuck},
		{Scenario: "hung-node", May: stuck},
		{Scenario: "partition", May: all(twoHolders, stuck)},
		{Scenario: "node-restart", Must: twoHolders, May: stuck},
	}},
	{"permit-semaphore", "Its permits have a lease each, so a client that ends for good strands none; a store that forgets gives one permit twice.", likeReentrant},
	{"latch", "It opens when all have counted it down: one that ends before has the others wait for ever, and so does a store that forgets a count.", []Expectation{
		{Scenario: "failover-loss", May: all(noOrder, stuck)},
		{Scenario: "two-step-release", Vacuous: true},
		{Scenario: "holder-crash", Must: stuck, Vacuous: true},
		{Scenario: "lost-reply", Vacuous: true},
		{Scenario: "late-reply", Vacuous: true},
		{Scenario: "hung-node", Vacuous: true},
		{Scenario: "partition", May: all(noOrder, stuck)},
		{Scenario: "node-restart", Must: noOrder, May: stuck},
	}},
	{"barrier", "It lets all go when all are there: one that ends has the others wait for ever. Redis remembers for a while whom it has let go, and a client that asks again later than that is counted into the next generation.", []Expectation{
		{Scenario: "failover-loss", May: all(noOrder, stuck)},
		{Scenario: "two-step-release", May: all(noOrder, stuck), Vacuous: true},
		{Scenario: "holder-crash", Must: stuck, Vacuous: true},
		{Scenario: "lost-reply", Vacuous: true},
		{Scenario: "late-reply", May: all(noOrder, stuck), Vacuous: true},
		{Scenario: "late-request", May: all(noOrder, stuck)},
		{Scenario: "hung-node", May: all(noOrder, stuck), Vacuous: true},
		{Scenario: "partition", May: all(noOrder, stuck)},
		{Scenario: "node-restart", Must: noOrder, May: stuck},
	}},
	{"segmented", "It never sells what it has not, as long as the store does not forget. Redis remembers orders for a lease: who asks again later than that is told that his order failed, though it was served.", []Expectation{
		{Scenario: "failover-loss", May: noOrder},
		{Scenario: "two-step-release", Must: noOrder},
		{Scenario: "holder-crash", Vacuous: true},
		{Scenario: "lost-reply", Vacuous: true},
		{Scenario: "late-reply", Must: noOrder},
		{Scenario: "hung-node", May: noOrder, Vacuous: true},
		{Scenario: "partition", May: noOrder},
		{Scenario: "node-restart", Must: noOrder},
	}},
}
