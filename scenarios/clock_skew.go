package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// clockSkew is about locks that ask a clock of their own what the time is. The
// clocks of client processes are ahead, behind, slow or fast, and jump, as an
// administrator or NTP lets them. Who takes a lock over because a timestamp in it
// has passed by his own clock takes it from somebody whose clock says otherwise;
// who computes the end of a lease by a slow clock believes in it for too long.
// Locks that leave expiry to the store do not notice.
var clockSkew = &Scenario{
	ID:      "clock-skew",
	Summary: "the clocks of clients are off, run slow or fast, and jump",
	Params:  Params{Clients: 2, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Once(faults.Skews, faults.ClockJumps)},
	Happenings: []Happening{
		{"a client whose clock was off held the lock", heldWithClockOff},
		{"the clock of a client jumped while it held the lock", jumpedHolding},
	},
	Remedies: []Remedy{expiringLock, fencedLock},
}
