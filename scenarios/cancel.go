package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// cancelled ends the context of an Acquire, an Extend or a Release while it waits for a
// connection, for an answer, or for its turn. Besides, an answer may be lost with its
// connection; the client library then retries, unless the context has ended.
//
// A cancelled request that is in flight may still take the lock. The lock must then give
// it back, by a request that does not use the ended context. A cancelled waiter must leave
// the queue. Only a cancelled Release may leave the lock behind, because its caller asked
// for that.
//
// The TTL is longer than elsewhere, so that a lock that is left behind blocks others for
// long. Every other hold is released twice.
var cancelled = &Scenario{
	ID:      "cancel",
	Summary: "the context of an Acquire, an Extend or a Release ends before it returns",
	Params:  Params{Clients: 3, Rounds: 2, TTL: 3 * time.Second, Again: 2, Faults: stage.Times(2, faults.Cancels).With(faults.LostReplies, 1)},
	Happenings: []Happening{
		{Name: "an Acquire was cancelled while the request that took the lock was in flight", In: cancelledInFlight},
		{Name: "an Acquire was cancelled while another client held the lock", In: cancelledWaiting},
	},
}
