package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// nodeRestart is a serving node that restarts before anybody has replaced it. With
// appendfsync everysec it may come back without the writes of its last second,
// without persistence it comes back empty, and a lock that was acknowledged is
// free. So is a counter of fencing tokens: it hands out old numbers again.
var nodeRestart = &Scenario{
	ID:      "node-restart",
	Summary: "the {serving} restarts, perhaps without its last second of writes, or empty",
	Params:  Params{Clients: 2, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Once(faults.Restarts)},
	Happenings: []Happening{
		{"a node restarted while a client held the lock", restartWhileHeld},
	},
	Remedies: []Remedy{waitingLock, fencedLock, longerLeases},
}
