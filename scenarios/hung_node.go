package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// hungNode is a serving node that hangs: it accepts connections and requests, but executes
// and answers nothing for longer than its clients wait. Its clients hang up and retry.
// When the node resumes it executes all pending requests in order, also those whose
// clients have given up.
var hungNode = &Scenario{
	ID:      "hung-node",
	Summary: "a {node} accepts requests and does nothing for a while, then does them all",
	Params:  Params{Clients: 2, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Once(faults.Hangs)},
	Happenings: []Happening{
		{Name: "a node hung for longer than a lease while a client was releasing the lock", In: hungDuringRelease},
		{Name: "a request took effect when its client had stopped waiting for it", In: abandonedEffect, Where: abandons},
	},
	Remedies: []Remedy{atomicLock, fencedLock, longerLeases},
}
