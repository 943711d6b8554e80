package builtin

import (
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

// watchedExpectations are those of the locks for a primary that sentinels watch.
var watchedExpectations = []expect.Expectations{
	{Lock: "setpx-wait-min-replicas", Reason: "It is setpx-wait. A primary that has lost its replica refuses the lock at once, and does not show it to others until WAIT is over.", In: likeSetPXWait},
}

// flawedWatchedExpectations are those of the flawed ones.
var flawedWatchedExpectations = []expect.Expectations{
	{Lock: "setpx-replica-check", Reason: "Its release goes by what a replica has. One that lags denies the lock, whose key stays; one that has kept what the primary has lost makes it delete another's.", In: expect.Everywhere(nil, byReplica,
		expect.Expectation{Scenario: "two-masters", Must: removes, May: byReplica})},
}

// byReplica is what a release may do that asks a replica, wherever one may lag or another primary may have been chosen.
var byReplica = expect.All(removes, expect.Either(bothWrite), leftKey, lateTwo, expect.Faults(checker.TruthfulRelease))
