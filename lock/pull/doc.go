// Package pull is a lock for production: it takes a lock by asking a store, again
// and again until it has it, and keeps the rules that real libraries have learnt
// from their failures. What the articles on pull-mode distributed locks call the
// framework is here; the store is behind an interface of three operations, and
// package redislocks has the one over Redis.
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
// With the terms of those articles: a [Locker] tries for up to D
// ([Options.Wait]) to add a record with the lock's name (RN) and a value that is
// the acquisition's own (RV) to the store if there is none, to live for TTL; while
// there is one it sleeps for S, drawn from [MinSleep, MinSleep+RandomSleep), so
// that those who wait do not come back all at once. Release removes the record
// if it has that value. Each request has an I/O timeout.
//
// # What it keeps to
//
//   - A request that is sent again because its answer was lost finds the record of
//     the first time, and has succeeded.
//   - A lease claims to be valid until its TTL is over, counted from before the
//     request was sent, less a margin for clocks that drift. An Acquire that would
//     return when that has passed removes its record and fails.
//   - An Acquire that fails or is cancelled removes what it may have left, on a
//     short context of its own, though the caller's be dead, and asks again if the
//     answer does not come.
//   - A Release tells that the lock was not held any more ([lock.ErrNotHeld]) from
//     that it could not tell ([ErrUnsure], or another error), asks again if the
//     answer does not come, and runs though its context be done.
//   - A lease that is renewed ([Options.Renew]) is renewed for one acquisition only,
//     for no longer than [Options.RenewFor], and tells by Lost when it is over.
//
// # What breaks it
//
// It is a lease. A holder that does not look at the end of his validity when he
// goes on after a pause works beside the next one (scenario gc-pause, property
// overrun and its harm no-lost-update); a store that forgets gives the lock to two
// (failover-loss, node-restart, server-clock-jump: mutual-exclusion and
// lease-honesty). A fencing token helps, which this lock has none of. A request
// for the record that is held up until its Acquire has failed and cleaned up, in
// the network or by a store that hangs, leaves it there until its TTL
// (late-request, hung-node: property late-orphan). A
// Release whose answer was lost is sent again by go-redis and then told that
// there is nothing: it says ErrNotHeld of what it has released itself (lost-reply,
// property release-denied).
//
// # Handlers
//
// A chain of [Handler] wraps every Acquire and every Release. [Hotspots] keeps
// the threads of one process from asking the store for what one of them has,
// [Logging] and [Metering] tell what happens; see [Handler] for writing others.
package pull
