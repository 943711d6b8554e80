package scenarios

// redissonExpectations are those of Redisson's family.
var redissonExpectations = []Expectations{
	{"reentrant", "It knows its holder and its end and cleans up, so nothing is a fault of its own; a store that forgets gives it two holders, and a pause between the look at the end and the access an overrun.", likeShared},
	{"watchdog", "It is reentrant; that it is renewed changes nothing for a holder that is paused, whose watchdog is paused as well.", likeReentrant},
	{"fair", "It is reentrant with a queue; who pauses for longer than the others are patient loses its place, and a store that forgets the queue the order.", likeReentrant},
}

// likeReentrant is what is expected of a lease that tells its end and whose
// waiters are woken.
var likeReentrant = []Expectation{
	{Scenario: "failover-loss", Must: twoLeases, May: harm},
	{Scenario: "gc-pause", Must: overruns, May: harm},
	{Scenario: "two-step-release", Must: overruns, May: harm, Reason: "An access is held back on its way to the resource until the lease is over."},
	{Scenario: "partition", Must: twoLeases, May: harm},
	{Scenario: "node-restart", Must: twoLeases, May: harm},
	{Scenario: "server-clock-jump", Must: twoLeases, May: harm},
	{Scenario: "hung-node", Settings: set("weak=1"), Must: lateKey, Reason: askedTwice},
}
