package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// This file has the scenarios of what happens to client processes.

// gcPause pauses a holder: its process stops, for a garbage collection, a page fault or the scheduler, and the lease
// expires meanwhile. When it resumes it still believes that it holds the lock, and so does the client that acquired
// it in between (Kleppmann, "How to do distributed locking", 2016).
var gcPause = &cell.Scenario{
	ID:      "gc-pause",
	Summary: "a client process stops for a while, perhaps for longer than its lease lasts",
	Params:  cell.Params{Clients: 2, Rounds: 2, Sizes: stage.AllSizes, TTL: 2 * time.Second, Faults: stage.Once(faults.Pauses)},
	Happenings: []cell.Happening{
		{Name: "a holder was paused for longer than its lease", In: pausedBeyondLease},
	},
	Remedies: []cell.Remedy{fencedLock, longerLeases, waitingLock},
}

// holderCrash kills a client process, perhaps while it holds the lock, perhaps while the request that takes or
// releases the lock is in flight. Nobody releases it then. The other clients must get the lock when the dead holder's
// lease has ended. A lock without expiry, or one that sets expiry in a second request, keeps them out for ever.
var holderCrash = &cell.Scenario{
	ID:      "holder-crash",
	Summary: "a client process is killed, perhaps while it holds the lock",
	Params:  cell.Params{Clients: 2, Rounds: 2, Sizes: stage.AllSizes, TTL: 2 * time.Second, Faults: stage.Once(faults.Crashes)},
	Happenings: []cell.Happening{
		{Name: "a client crashed while it held the lock", In: crashedHolding},
		{Name: "a client crashed while its request for the lock was under way, and was granted it", In: grantedToTheDead},
	},
	Remedies: []cell.Remedy{expiringLock},
}

// clockSkew tests locks that read a clock of their own. The clocks of client processes are ahead, behind, slow or
// fast, and jump, as an administrator or NTP makes them. A client that takes over a lock by the timestamp in it, on
// its own clock, takes it from a holder whose clock differs. A client that computes the end of a lease by a slow
// clock believes in it for too long. Locks that leave expiry to the store are not affected. A lock that never asks for
// its clock ([cell.Client.Clock]) goes by package time, which is never off: the search of it is vacuous.
var clockSkew = &cell.Scenario{
	ID:      "clock-skew",
	Summary: "the clocks of clients are off, run slow or fast, and jump",
	Params:  cell.Params{Clients: 2, Rounds: 2, Sizes: stage.AllSizes, TTL: 2 * time.Second, Faults: stage.Once(faults.Skews, faults.ClockJumps)},
	Happenings: []cell.Happening{
		{Name: "a client held the lock while the clock that it reads was off", In: heldWithClockOff},
		{Name: "the clock that a client reads jumped while it held the lock", In: jumpedHolding, Where: func(t stage.Traits) bool { return !t.Measured }},
	},
	Remedies: []cell.Remedy{expiringLock, fencedLock},
}

// cancelled ends the context of an Acquire, an Extend or a Release while it waits for a
// connection, for an answer, or for its turn. Besides, an answer may be lost with its
// connection; the client library then retries, unless the context has ended.
//
// A cancelled request that is in flight may still take the lock. The lock must then give it back, by a request that
// does not use the ended context. A cancelled waiter must leave the queue. Only a cancelled Release may leave the
// lock behind, because its caller asked for that.
//
// The TTL is longer than elsewhere, so that a lock that is left behind blocks others for
// long. Every other hold is released twice.
var cancelled = &cell.Scenario{
	ID:      "cancel",
	Summary: "the context of an Acquire, an Extend or a Release ends before it returns",
	Params:  cell.Params{Clients: 3, Rounds: 2, Sizes: stage.AllSizes, TTL: 3 * time.Second, Again: 2, Faults: stage.Times(2, faults.Cancels).With(faults.LostReplies, 1)},
	Happenings: []cell.Happening{
		{Name: "an Acquire was cancelled while the request that took the lock was in flight", In: cancelledInFlight},
		{Name: "an Acquire was cancelled while another client held the lock", In: cancelledWaiting},
	},
}

// watchdogLate has a lease of a tenth of a second, held for longer by clients whose lock renews it. The literature
// warns of such leases: a renewal that the network delays for a moment finds the key gone. A client that learns of it
// stops; a client that relies on its watchdog without asking goes on beside the next holder.
//
// Only locks that are kept alive are held for longer: those that renew their leases ([cell.Lock].Renews), and those
// that live with a session which the client library keeps alive. For other locks the scenario is late-request and
// late-reply on a small scale.
var watchdogLate = &cell.Scenario{
	ID:      "watchdog-late",
	Summary: "a lease of 100 ms, held for longer, is renewed too late",
	Params:  cell.Params{Clients: 2, Rounds: 2, Sizes: stage.AllSizes, TTL: 100 * time.Millisecond, LongHolds: 4, Faults: stage.Times(2, faults.LateRequests).With(faults.LateReplies, 1)},
	Happenings: []cell.Happening{
		{Name: "a lease ran out in the store before its holder gave it up", Reads: ranOutWhileHeld},
	},
	Remedies: []cell.Remedy{fencedLock, longerLeases},
}
