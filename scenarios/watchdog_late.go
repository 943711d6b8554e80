package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// watchdogLate has a lease of a tenth of a second, held for longer by clients whose lock
// renews it. The literature warns of such leases: a renewal that the network delays for a
// moment finds the key gone. A client that learns of it stops; a client that relies on its
// watchdog without asking goes on beside the next holder.
//
// Only locks that renew their leases are held for longer ([Lock].Renews). For other locks
// the scenario is late-request and late-reply on a small scale.
var watchdogLate = &Scenario{
	ID:      "watchdog-late",
	Summary: "a lease of 100 ms, held for longer, is renewed too late",
	Params:  Params{Clients: 2, Rounds: 2, TTL: 100 * time.Millisecond, LongHolds: 4, Faults: stage.Times(2, faults.LateRequests).With(faults.LateReplies, 1)},
	Happenings: []Happening{
		{Name: "a lease ran out in the store before its holder gave it up", In: ranOutWhileHeld},
	},
	Remedies: []Remedy{fencedLock, longerLeases},
}
