package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// This file has the scenarios of what happens to servers.

// failoverLoss loses a lock with the serving node. Replication is asynchronous: the node
// acknowledges a write and crashes before the follower has it, and the follower is
// promoted without the record. The first client still believes that it holds the lock; the
// second finds it free.
//
// With a fencing counter on the same node, the INCR is lost with the SET, and both clients
// have the same token.
var failoverLoss = &cell.Scenario{
	ID:      "failover-loss",
	Summary: "the {serving} crashes and a {follower} is promoted, perhaps without the last writes",
	Params:  cell.Params{Clients: 2, Rounds: 2, Sizes: stage.AllSizes, Followers: 1, TTL: 2 * time.Second, Faults: stage.Once(faults.Failovers)},
	Happenings: []cell.Happening{
		{Name: "a failover struck while a client held the lock", Reads: failoverWhileHeld},
	},
	Remedies: []cell.Remedy{waitingLock, fencedLock, longerLeases},
}

// nodeRestart restarts the serving node before another is promoted. With appendfsync
// everysec it may come back without the writes of its last second; without persistence it
// comes back empty. A lock that was acknowledged is then free, and a fencing counter hands
// out old tokens again.
var nodeRestart = &cell.Scenario{
	ID:      "node-restart",
	Summary: "the {serving} restarts, and comes back {kept}",
	Params:  cell.Params{Clients: 2, Rounds: 2, Sizes: stage.AllSizes, TTL: 2 * time.Second, Faults: stage.Once(faults.Restarts)},
	Happenings: []cell.Happening{
		{Name: "a node restarted while a client held the lock", In: restartWhileHeld},
	},
	Remedies: []cell.Remedy{waitingLock, fencedLock, longerLeases},
}

// hungNode is a serving node that hangs: it accepts connections and requests, but executes
// and answers nothing for longer than its clients wait. Its clients hang up and retry.
// When the node resumes it executes all pending requests in order, also those whose
// clients have given up.
var hungNode = &cell.Scenario{
	ID:      "hung-node",
	Summary: "a {node} accepts requests and does nothing for a while, then does them all",
	Params:  cell.Params{Clients: 2, Rounds: 2, Sizes: stage.AllSizes, TTL: 2 * time.Second, Faults: stage.Once(faults.Hangs)},
	Happenings: []cell.Happening{
		{Name: "a node hung for longer than a lease while a client was releasing the lock", In: hungDuringRelease},
		{Name: "a request took effect when its client had stopped waiting for it", Reads: abandonedEffect, Where: abandons},
	},
	Remedies: []cell.Remedy{atomicLock, fencedLock, longerLeases},
}

// serverClockJump lets the store's clock jump, by which leases expire. After a jump
// forward keys expire too early, and two clients hold the lock. After a jump back keys
// expire too late, and every client waits. A server may use the wall clock of its machine
// for expiry (antirez and Kleppmann argued about this in 2016).
var serverClockJump = &cell.Scenario{
	ID:      "server-clock-jump",
	Summary: "the clock of the {node} jumps forward or back, so that leases end early or late",
	Params:  cell.Params{Clients: 2, Rounds: 2, Sizes: stage.AllSizes, TTL: 2 * time.Second, Faults: stage.Once(faults.ServerClockJumps)},
	Happenings: []cell.Happening{
		{Name: "a node's clock jumped past the end of a lease while a client held the lock", In: serverJumpedWhileHeld},
	},
	Remedies: []cell.Remedy{fencedLock, longerLeases},
}

// sessionExpiry cuts a client off from the store for longer than its session, while it holds
// the lock, while it waits, or in the middle of a request that creates its record. The store
// ends the session and removes the record; the client learns of that when it is back. What
// it had asked for before may be carried out in its next session, or not at all.
var sessionExpiry = &cell.Scenario{
	ID:      "session-expiry",
	Summary: "a client is cut off from {store} for longer than its session: while it holds the lock, waits, or asks for it",
	Params:  cell.Params{Clients: 3, Rounds: 2, Sizes: stage.AllSizes, TTL: 2 * time.Second, Faults: stage.Once(faults.CutOffs)},
	Lacks:   unless(hasSessions, "no {record} in {store} lives with a session"),
	Happenings: []cell.Happening{
		{Name: "a client was cut off for longer than its lease while it held the lock", In: cutOffHolding},
		{Name: "a client was cut off for longer than its lease while it waited for the lock", In: cutOffWaiting},
	},
	Remedies: []cell.Remedy{fencedLock, longerLeases},
}

// cutOffHolding: the holder was cut off for longer than a lease.
func cutOffHolding(h *model.History) bool {
	return observed(h, func(o *model.Observation, s span) bool {
		return cutsOff(h, o, s.acquisition.Client) && s.contains(o.Seq)
	})
}

// cutOffWaiting: a client was cut off for longer than a lease during an Acquire.
func cutOffWaiting(h *model.History) bool {
	for i := range h.Observations {
		for j := range h.Operations {
			o, op := &h.Observations[i], &h.Operations[j]
			if op.Kind.Waits() && cutsOff(h, o, op.Client) && op.Call.Seq < o.Seq && (!op.Return.Happened() || op.Return.Seq > o.Seq) {
				return true
			}
		}
	}
	return false
}

// cutsOff reports whether a partition leaves a client alone for longer than a lease.
func cutsOff(h *model.History, o *model.Observation, client string) bool {
	return o.Kind == model.Parted && o.For > h.TTL && o.Sides != nil && len(o.Sides.A) == 1 && o.Sides.A[0] == client
}

// staleFollower lets followers fall behind. A client reads from its follower that there is
// no other holder, or that its own record is still there, when the leader has committed
// otherwise long ago. Connections break, so that clients change from one node to another.
var staleFollower = &cell.Scenario{
	ID:      "stale-follower",
	Summary: "a {follower} learns late what the {serving} has committed, and answers clients with what is old",
	Params:  cell.Params{Clients: 3, Rounds: 2, Sizes: stage.AllSizes, Followers: 1, TTL: 2 * time.Second, Faults: stage.Times(2, faults.Lags).With(faults.Resets, 1)},
	Lacks:   unless(readsLocally, "no {follower} answers clients"),
	Happenings: []cell.Happening{
		{Name: "a message between {node}s was late by more than a lease while a client held the lock", In: laggedWhileHeld},
	},
	Remedies: []cell.Remedy{fencedLock, longerLeases},
}

// laggedWhileHeld: a message that belongs to no operation was late by more than a lease.
func laggedWhileHeld(h *model.History) bool {
	return observed(h, func(o *model.Observation, s span) bool {
		return o.Kind == model.Delayed && o.By.Op == 0 && o.For > h.TTL && s.contains(o.Seq)
	})
}

// election changes the leader in every way: it crashes, hangs, or is cut off with a minority
// and some of the clients. A majority elects another. What was committed is kept; what was
// under way may be carried out or not, and clients of the old leader have to find the new
// one before their sessions end.
var election = &cell.Scenario{
	ID:      "election",
	Summary: "the {serving} crashes, hangs or is cut off, and the others elect another",
	Params: cell.Params{
		Clients: 3, Rounds: 2, Sizes: stage.AllSizes, Followers: 1, TTL: 4 * time.Second,
		Faults: stage.Once(faults.Failovers, faults.Hangs, faults.Partitions),
	},
	Lacks: unless(elects, "{store} elects no {serving} by itself"),
	Happenings: []cell.Happening{
		{Name: "a leader was elected while a client held the lock", Reads: failoverWhileHeld},
	},
	Remedies: []cell.Remedy{fencedLock, longerLeases},
}
