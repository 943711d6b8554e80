package scenarios

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// This file has the scenarios of what happens to transactions and to pools of connections.

// lostCommit loses the answer to a commit: the transaction was committed, and its client sees a connection that
// breaks. A client that takes that for a failure leaves its record behind, or does its work a second time. One that
// takes it for a success will be wrong another time, as the same error comes when the commit was lost on its way. It
// must read what became of it.
//
// A statement that is a transaction by itself counts as a commit, if it changes anything.
var lostCommit = &cell.Scenario{
	ID:      "lost-commit",
	Summary: "a transaction is committed and its connection breaks before the answer arrives",
	Params:  cell.Params{Clients: 2, Rounds: 2, Sizes: stage.AllSizes, TTL: 2 * time.Second, Faults: stage.Times(2, faults.LostCommits)},
	Happenings: []cell.Happening{
		{Name: "the answer to a commit that took the lock was lost", In: grantLost},
		{Name: "the answer to a commit that gave the lock back was lost", In: releaseAnswerLost},
	},
	Remedies: []cell.Remedy{expiringLock, fencedLock},
}

// poolExhausted gives each client fewer connections than its threads want. A thread that wants one waits until
// another gives its own back, or until the client library or the thread's context ends the wait. A lock that keeps a
// connection and asks for another, to acquire or to release, waits for itself: what it keeps is what it waits for.
// One that gives its connections back only when all goes well is soon without any. Nothing else fails. Connections
// that a client library has outside its pool, such as those for messages, do not count.
var poolExhausted = &cell.Scenario{
	ID:      "pool-exhausted",
	Summary: "the threads of a client want more connections to {store} than their pool has",
	Params:  cell.Params{Clients: 2, Rounds: 2, Sizes: stage.AllSizes, Threads: 2, TTL: 2 * time.Second, Own: stage.Own{{Name: stage.PoolSize, Value: 1}}},
	Lacks:   unlessSet(stage.PoolSize, "clients of {store} take no connections from a pool"),
	Happenings: []cell.Happening{
		{Name: "two threads of a client were busy with the lock at once", In: busyAtOnce},
	},
	Remedies: []cell.Remedy{expiringLock},
}

// busyAtOnce: operations of two threads of a client overlap.
func busyAtOnce(h *model.History) bool {
	return slices.ContainsFunc(h.Operations, func(a model.Operation) bool {
		return slices.ContainsFunc(h.Operations, func(b model.Operation) bool {
			return a.Client == b.Client && a.Thread != b.Thread && a.Call.Seq < b.Call.Seq && (!a.Return.Happened() || b.Call.Seq < a.Return.Seq)
		})
	})
}

// deadlock ends transactions that wait for a lock or ask for one, with all that they had locked and changed: other
// programs use the same records and lock them in another order, and a client cannot foresee which of those that wait
// for each other is ended. It has to begin its transaction anew. A client that repeats the statement alone goes on
// without the locks of the statements before.
var deadlock = &cell.Scenario{
	ID:      "deadlock",
	Summary: "{store} ends a transaction that waits for a lock, or asks for one, because of a deadlock with others",
	Params:  cell.Params{Clients: 3, Rounds: 2, Sizes: stage.AllSizes, TTL: 2 * time.Second, Faults: stage.Times(2, faults.Deadlocks)},
	Happenings: []cell.Happening{
		{Name: "a transaction that was to take the lock ended in a deadlock", In: deadlockTaking},
	},
}

// deadlockTaking: an operation that takes the object was in a deadlock.
func deadlockTaking(h *model.History) bool {
	for i := range h.Observations {
		o := &h.Observations[i]
		if op := h.Operation(o.Owner.Op); o.Event() == stage.Deadlocked && op != nil && takes(h, op) {
			return true
		}
	}
	return false
}
