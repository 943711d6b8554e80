package builtin

import (
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
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
		clustered(expect.Expectation{Scenario: "storm", May: expect.All(bothWrite, expect.Limits(bothWrite), expect.Either(overruns, harm))}),
		clustered(expect.Expectation{Scenario: "server-clock-jump", May: expect.Limits(overruns, bothWrite)}),
		clustered(expect.Expectation{Scenario: "watchdog-late", May: expect.Limits(overruns)}),
		clustered(expect.Expectation{Scenario: "gc-pause", May: expect.Limits(overruns, bothWrite)}),
		clustered(expect.Expectation{Scenario: "two-step-release", May: expect.Limits(overruns, bothWrite)}),
	}},
	{Lock: "redisson-untagged", Reason: "No node executes its release, which has keys of two slots: the lock ends with its lease.", In: unreleased()},
}

// unreleased returns the outcomes of a lock that cannot be released, in each scenario.
func unreleased() (list []expect.Expectation) {
	for _, s := range scenarios.All() {
		e := expect.Expectation{Scenario: s.ID, May: expect.All(leftKey, stuck, expect.Faults(checker.BoundedWakeup))}
		if s.ID == scenarios.Calm().ID {
			e.Must = leftKey
		} else {
			e.May = expect.All(e.May, expect.Limits(twoLeases, overruns, gaps, harm))
		}
		list = append(list, clustered(e))
	}
	return list
}

// withClustered are expectations with those in a Redis Cluster.
func withClustered(list []expect.Expectation, more ...expect.Expectation) []expect.Expectation {
	list = slices.Clone(list)
	for _, e := range more {
		list = append(list, clustered(e))
	}
	return list
}

// movedSetPX is what a sound lock of one key shows while its slot moves.
var movedSetPX = expect.Expectation{
	Scenario: "migration", Must: expect.Limits(bothWrite), May: expect.All(lateTwo, leftKey),
	Reason: "A client that was sent on is granted the lock by the target, and another by the owner, which keeps its slot. " + looksAtNoClock + " " + cleansUpNothing,
}

// movedWatch is the same of one that is released in a transaction.
var movedWatch = expect.Expectation{
	Scenario: "migration", May: expect.All(expect.Limits(bothWrite), lateTwo, leftKey),
	Reason: "ClusterClient.Watch of go-redis follows ASK without ASKING, is sent back by MOVED, and returns no error when its redirections are used up, without having called its function: a release reports success and has done nothing (v9.0.5 to v9.23.0).",
}

// waitsInCluster is what a lock shows that waits for a replica.
var waitsInCluster = []expect.Expectation{
	{Scenario: "gc-pause", May: expect.All(lateTwo, expect.Limits(bothWrite)), Reason: waitsApart},
	{Scenario: "late-request", May: expect.All(lateTwo, leftKey), Reason: waitsApart},
}

// waitsApart is why an Acquire of two requests returns late.
const waitsApart = "WAIT is a request of its own, behind SET; if it is late, or the client is paused in between, the lease ends before Acquire returns."

// clustered returns an expectation in a Redis Cluster.
func clustered(e expect.Expectation) expect.Expectation {
	e.Topology = "cluster"
	return e
}
