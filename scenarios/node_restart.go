package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// nodeRestart restarts the serving node before another is promoted. With appendfsync
// everysec it may come back without the writes of its last second; without persistence it
// comes back empty. A lock that was acknowledged is then free, and a fencing counter hands
// out old tokens again.
var nodeRestart = &Scenario{
	ID:      "node-restart",
	Summary: "the {serving} restarts, perhaps without its last second of writes, or empty",
	Params:  Params{Clients: 2, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Once(faults.Restarts)},
	Happenings: []Happening{
		{Name: "a node restarted while a client held the lock", In: restartWhileHeld},
	},
	Remedies: []Remedy{waitingLock, fencedLock, longerLeases},
}
