// Package pull is a lock for production. It polls a store until it has the lock.
// Its rules, listed below, avoid failures that real libraries have had. The design
// is that of articles on pull-mode distributed locks, in which waiters poll. The
// store is behind an interface of three operations, and package redislocks has one
// for Redis.
//
//	locker := redislocks.NewPull(client, "orders", pull.Options{TTL: 10 * time.Second, Wait: 3 * time.Second})
//	lease, err := locker.Acquire(ctx)
//	switch {
//	case errors.Is(err, pull.ErrTimeout): // somebody else has it, and had it all the time
//	case err != nil: // the store failed, or ctx is done
//	}
//	defer lease.Release(ctx)
//
// # How it works
//
// In the terms of those articles: a [Locker] tries for up to D ([Options.Wait]) to
// add a record with the lock's name (RN), a value unique to the acquisition (RV)
// and a TTL to the store, if there is none of that name. While there is one it
// sleeps for S, drawn from [MinSleep, MinSleep+RandomSleep), so that waiters do not
// return all at once. Release removes the record if it has that value. Each request
// has an I/O timeout.
//
// # Rules
//
//   - A request that is sent again because its answer was lost finds its own
//     record, and succeeds.
//   - A lease claims to be valid until its TTL is over, counted from before the
//     request was sent, less a margin for clock drift. An Acquire that would return
//     after that removes its record and fails.
//   - An Acquire that fails or is cancelled removes the record that it may have
//     added, with a short context of its own, even if the caller's is done, and
//     retries if there is no answer.
//   - A Release distinguishes a lock that was not held any more ([lock.ErrNotHeld])
//     from an uncertain outcome ([ErrUnsure], or another error), retries if there
//     is no answer, and runs even if its context is done.
//   - Renewal ([Options.Renew]) belongs to one acquisition: it renews that
//     acquisition's record only, for no longer than [Options.RenewFor], and Lost
//     signals when the lease has ended.
//
// # What breaks it
//
// It is a lease. A holder that does not check the end of its validity after a pause
// works at the same time as the next holder (scenario gc-pause, property overrun
// and its harm no-lost-update). A store that forgets gives the lock to two clients
// (failover-loss, node-restart, server-clock-jump: mutual-exclusion and
// lease-honesty). A fencing token helps; this lock has none. A request that is held
// up, in the network or by a store that hangs, until its Acquire has failed and
// cleaned up leaves its record there until its TTL (late-request, hung-node:
// property late-orphan). A Release whose answer was lost is sent again by go-redis
// and finds nothing: it returns ErrNotHeld for a lock that it has released itself
// (lost-reply, property release-denied).
//
// # Handlers
//
// A chain of [Handler] wraps every Acquire and every Release. [Hotspots] keeps the
// threads of one process from asking the store for a lock that one of them has.
// [Metering] reports outcomes. See [Handler] for writing others.
package pull
