package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// clockSkew tests locks that read a clock of their own. The clocks of client processes are
// ahead, behind, slow or fast, and jump, as an administrator or NTP makes them. A client
// that takes over a lock by the timestamp in it, on its own clock, takes it from a holder
// whose clock differs. A client that computes the end of a lease by a slow clock believes
// in it for too long. Locks that leave expiry to the store are not affected.
var clockSkew = &Scenario{
	ID:      "clock-skew",
	Summary: "the clocks of clients are off, run slow or fast, and jump",
	Params:  Params{Clients: 2, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Once(faults.Skews, faults.ClockJumps)},
	Happenings: []Happening{
		{Name: "a client whose clock was off held the lock", In: heldWithClockOff},
		{Name: "the clock of a client jumped while it held the lock", In: jumpedHolding},
	},
	Remedies: []Remedy{expiringLock, fencedLock},
}
