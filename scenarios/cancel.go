package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// cancelled is the end of a caller's patience: the context of an Acquire, an
// Extend or a Release ends while it waits for a connection, for an answer, or for
// its turn. Nothing else
// goes wrong but that an answer may be lost with its connection, which the client
// library makes good by asking again, unless the context has ended. That is no
// excuse. A request that is on its way may take the lock for somebody who has
// left already: whoever has sent it has to give the lock back, by a request that
// must not depend on the very context that has ended. Whoever waits for his turn
// has to leave. Only a Release that was cancelled may leave the lock behind: that
// is what its caller has asked for.
//
// The TTL is longer than elsewhere, so that what is left behind is in the way
// for long, and every other hold is released twice.
var cancelled = &Scenario{
	ID:      "cancel",
	Summary: "the context of an Acquire, an Extend or a Release ends before it returns",
	Params:  Params{Clients: 3, Rounds: 2, TTL: 3 * time.Second, Again: 2, Faults: stage.Times(2, faults.Cancels).With(faults.LostReplies, 1)},
	Happenings: []Happening{
		{"an Acquire was cancelled while the request that took the lock was in flight", cancelledInFlight},
		{"an Acquire was cancelled while another client held the lock", cancelledWaiting},
	},
}
