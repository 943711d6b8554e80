package builtin

import (
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/expect"
)

// flawedClusterExpectations are those of the locks whose flaw shows in a Redis Cluster.
var flawedClusterExpectations = []expect.Expectations{
	{Lock: "redlock-one-cluster", Reason: "Two of its three keys are on one shard, and go with it. An election takes longer than most holds, so that it takes a holder that is held up.", In: []expect.Expectation{
		clustered(expect.Expectation{
			Scenario: "node-restart", Settings: expect.Set("lease=8s", "pauses=2", "restarts=2", "sizes=0"),
			Must: expect.Faults(checker.MutualExclusion), May: expect.All(expect.Faults(checker.NoLostUpdate, checker.Progress), expect.Limits(overruns, harm)),
		}),
		clustered(expect.Expectation{Scenario: "failover-loss", May: expect.All(bothWrite, expect.Limits(overruns))}),
		clustered(expect.Expectation{Scenario: "partition", May: expect.All(bothWrite, expect.Limits(overruns))}),
		clustered(expect.Expectation{Scenario: "hung-node", May: expect.All(bothWrite, expect.Limits(overruns))}),
		clustered(expect.Expectation{Scenario: "election", May: expect.All(bothWrite, expect.Limits(overruns))}),
		clustered(expect.Expectation{Scenario: "migration", May: expect.All(bothWrite, expect.Limits(overruns))}),
		clustered(expect.Expectation{Scenario: "storm", May: expect.All(bothWrite, expect.Either(overruns, harm))}),
		clustered(expect.Expectation{Scenario: "gc-pause", May: expect.Limits(overruns, bothWrite)}),
		clustered(expect.Expectation{Scenario: "two-step-release", May: expect.Limits(overruns, bothWrite)}),
	}},
	{Lock: "redisson-untagged", Reason: "No node executes its release, which has keys of two slots: the lock ends with its lease.", In: []expect.Expectation{
		clustered(expect.Expectation{Scenario: "contention", Must: unreleased, May: expect.Faults(checker.BoundedWakeup)}),
	}},
}

// unreleased is what comes of a lock that cannot be released.
var unreleased = expect.Faults(checker.NoOrphan)

// clustered is an expectation in a Redis Cluster.
func clustered(e expect.Expectation) expect.Expectation {
	e.Topology = "cluster"
	return e
}
