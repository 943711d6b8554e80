package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// lateRequest delays requests, perhaps until the client has given up and retried: closing
// a connection does not call back what was sent. A late DEL may remove another client's
// key; a late SET may take the lock for a client that has given up.
var lateRequest = &Scenario{
	ID:      "late-request",
	Summary: "a request reaches {store} late, perhaps after its client has stopped waiting for it",
	Params:  Params{Clients: 2, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Times(2, faults.LateRequests)},
	Happenings: []Happening{
		{Name: "a request that was later than a lease lasts took effect", In: lateEffect},
		{Name: "a request took effect when its client had stopped waiting for it", In: abandonedEffect, Where: abandons},
	},
	Remedies: []Remedy{atomicLock, fencedLock, longerLeases},
}
