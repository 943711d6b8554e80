package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// lateRequest is about requests that arrive late, perhaps when the client has
// long given them up and sent them again: closing a connection does not call
// back what was sent. A DEL that comes late may remove somebody else's key, a SET
// may take the lock for somebody who does not know.
var lateRequest = &Scenario{
	ID:      "late-request",
	Summary: "a request reaches {store} late, perhaps when its client has given it up and goes on",
	Params:  Params{Clients: 2, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Times(2, faults.LateRequests)},
	Happenings: []Happening{
		{"a request that was later than a lease lasts took effect", lateEffect},
		{"a request took effect when its client had stopped waiting for it", abandonedEffect},
	},
	Remedies: []Remedy{atomicLock, fencedLock, longerLeases},
}
