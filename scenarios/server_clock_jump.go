package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// serverClockJump is a jump of the clock that leases run by: the store's. If it
// jumps forward, keys expire before their time, and two clients hold the lock; if
// it jumps back, they live on after it, and everybody waits. A server's own clock
// is the wall clock of its machine (antirez and Kleppmann argued about just that
// in 2016).
var serverClockJump = &Scenario{
	ID:      "server-clock-jump",
	Summary: "the clock of the {node} jumps forward or back, so that {record}s expire early or late",
	Params:  Params{Clients: 2, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Once(faults.ServerClockJumps)},
	Happenings: []Happening{
		{"a node's clock jumped past the end of a lease while a client held the lock", serverJumpedWhileHeld},
	},
	Remedies: []Remedy{fencedLock, longerLeases},
}
