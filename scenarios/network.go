package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// This file has the scenarios of what happens to messages.

// twoStepRelease is for a release that first looks and then deletes. The only fault is that the network holds
// segments back. If the DEL arrives after the end of the lease, another client may own the key. An atomic
// compare-and-delete may be late as well, but does no harm.
var twoStepRelease = &cell.Scenario{
	ID:      "two-step-release",
	Summary: "the network holds a segment or two back, perhaps past the end of a lease",
	Params:  cell.Params{Clients: 2, Rounds: 2, Sizes: stage.AllSizes, TTL: 2 * time.Second, Faults: stage.Times(2, faults.Delays)},
	Happenings: []cell.Happening{
		{Name: "a {record} expired or changed owner while its holder was releasing it", In: goneDuringRelease},
	},
	Remedies: []cell.Remedy{atomicLock, fencedLock, longerLeases},
}

// partition is the split brain. The network parts the serving node and some of the clients from its follower and the
// others, in both directions or in one. The other side cannot distinguish an unreachable node from a dead one, and
// promotes the follower. The old node goes on serving its side and grants locks that the new one does not know. When
// the sides are reunited it becomes a follower and drops them.
//
// Without a promotion, requests and answers wait, and arrive when their senders have given up.
var partition = &cell.Scenario{
	ID:      "partition",
	Summary: "a partition cuts the {serving} and some clients off from the others; a {node} among those, if there is one, may be promoted",
	Params:  cell.Params{Clients: 2, Rounds: 2, Sizes: stage.AllSizes, Followers: 1, TTL: 4 * time.Second, Faults: stage.Once(faults.Partitions)},
	Happenings: []cell.Happening{
		{Name: "a partition lasted longer than the lease of a client that held the lock", In: partedBeyondLease},
		{Name: "both sides of a partition had a {serving} while a client held the lock", In: splitWhileHeld, Where: splits},
	},
	Remedies: []cell.Remedy{waitingLock, fencedLock, longerLeases},
}

// lostReply loses an answer: the command was executed, and the connection breaks before its answer arrives. The
// client sends the command again on another connection. A repeated SET NX finds the lock taken, by its own client. A
// repeated DEL may remove another client's key. A repeated INCR counts twice. Answers of the handshake (HELLO, CLIENT
// SETINFO) are lost as well.
var lostReply = &cell.Scenario{
	ID:      "lost-reply",
	Summary: "a command is executed and its connection breaks before the answer arrives",
	Params:  cell.Params{Clients: 2, Rounds: 2, Sizes: stage.AllSizes, TTL: 2 * time.Second, Faults: stage.Times(2, faults.LostReplies)},
	Happenings: []cell.Happening{
		{Name: "an answer that granted the lock was lost", In: grantLost},
		{Name: "an answer to a release was lost", In: releaseAnswerLost},
	},
	Remedies: []cell.Remedy{expiringLock, atomicLock, fencedLock},
}

// lateReply delays answers: until half of the lease is over, until all of it is, or until
// the client has hung up and retried. A lock that counts its lease from the answer, and
// not from the request, still believes in it when it is over.
var lateReply = &cell.Scenario{
	ID:      "late-reply",
	Summary: "an answer of {store} comes late, perhaps when the lease that it grants is over",
	Params:  cell.Params{Clients: 2, Rounds: 2, Sizes: stage.AllSizes, TTL: 2 * time.Second, Faults: stage.Times(2, faults.LateReplies)},
	Happenings: []cell.Happening{
		{Name: "an Acquire succeeded by an answer that came later than its lease lasts", In: acquiredLate},
	},
	Remedies: []cell.Remedy{fencedLock, longerLeases},
}

// lateRequest delays requests, perhaps until the client has given up and retried: closing
// a connection does not call back what was sent. A late DEL may remove another client's
// key; a late SET may take the lock for a client that has given up.
var lateRequest = &cell.Scenario{
	ID:      "late-request",
	Summary: "a request reaches {store} late, perhaps after its client has stopped waiting for it",
	Params:  cell.Params{Clients: 2, Rounds: 2, Sizes: stage.AllSizes, TTL: 2 * time.Second, Faults: stage.Times(2, faults.LateRequests)},
	Happenings: []cell.Happening{
		{Name: "a request that was later than a lease lasts took effect", In: lateEffect},
		{Name: "a request took effect when its client had stopped waiting for it", Reads: abandonedEffect, Where: abandons},
	},
	Remedies: []cell.Remedy{atomicLock, fencedLock, longerLeases},
}

// serverErrors has answers that are errors which the requests have not caused: a service that has too much to do, or
// that fails inside. It may have carried the request out. A lock that takes such an answer for a refusal leaves
// behind what it has taken, or waits for it; one that takes a release for done keeps the others waiting. It must read
// what became of the request, or ask again in a way that does no harm. Some client libraries ask again by themselves.
var serverErrors = &cell.Scenario{
	ID:      "server-errors",
	Summary: "a {node} answers requests with errors of its own, and has carried them out or not",
	Params:  cell.Params{Clients: 2, Rounds: 2, Sizes: stage.AllSizes, TTL: 2 * time.Second, Faults: stage.Times(2, faults.ServerErrors)},
	Happenings: []cell.Happening{
		{Name: "a request that took the lock was carried out and answered with an error", In: grantFailed},
		{Name: "a request to release the lock was answered with an error", In: releaseFailed},
	},
	Remedies: []cell.Remedy{expiringLock, fencedLock},
}

// lostWakeup is for waiters that sleep until a Pub/Sub message wakes them. Nobody stores such a message. It is lost
// if it is published before the subscription is confirmed, while its connection is broken or being replaced, or when
// the node restarts. A waiter that relies on the message alone then waits for ever; one that knows the end of the
// lease waits until then. A late request opens the window between a look and the subscription, or the watch, that
// follows it. The lease is a minute here, so that the delay shows. A correct waiter looks again each time its
// subscription is confirmed, or watches from what it saw.
//
// The store keeps all of its data: no fault here excuses two holders.
var lostWakeup = &cell.Scenario{
	ID:      "lost-wakeup",
	Summary: "connections break, requests are late and the node restarts while clients wait for the news of a release",
	Params:  cell.Params{Clients: 3, Rounds: 2, Sizes: stage.AllSizes, TTL: 2 * time.Second, Lease: time.Minute, Faults: stage.Times(2, faults.LostReplies).With(faults.CleanRestarts, 1).With(faults.LateRequests, 1)},
	Happenings: []cell.Happening{
		{Name: "an answer or a message was lost on its way to a client that waited while another held the lock", In: lostWaiting},
		{Name: "the node restarted while a client waited and another held the lock", In: restartWhileWaiting},
	},
	Remedies: []cell.Remedy{pollingLock},
}
