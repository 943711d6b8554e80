package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// serverClockJump lets the store's clock jump, by which leases expire. After a jump
// forward keys expire too early, and two clients hold the lock. After a jump back keys
// expire too late, and every client waits. A server may use the wall clock of its machine
// for expiry (antirez and Kleppmann argued about this in 2016).
var serverClockJump = &Scenario{
	ID:      "server-clock-jump",
	Summary: "the clock of the {node} jumps forward or back, so that {record}s expire early or late",
	Params:  Params{Clients: 2, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Once(faults.ServerClockJumps)},
	Happenings: []Happening{
		{Name: "a node's clock jumped past the end of a lease while a client held the lock", In: serverJumpedWhileHeld},
	},
	Remedies: []Remedy{fencedLock, longerLeases},
}
