package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// watchdogLate is a lease of a tenth of a second, held for longer than that by
// those whose lock renews it. The literature warns of such leases: a renewal that
// the network holds up for a moment finds the key gone. Who is told of it leaves;
// who relies on his watchdog and asks it nothing works on, beside another.
//
// Only locks that renew their leases are held for longer ([Lock].Renews): for
// others it is what late requests and late answers are, on a small scale.
var watchdogLate = &Scenario{
	ID:      "watchdog-late",
	Summary: "a lease of 100 ms, held for longer, is renewed too late",
	Params:  Params{Clients: 2, Rounds: 2, TTL: 100 * time.Millisecond, LongHolds: 4, Faults: stage.Times(2, faults.LateRequests).With(faults.LateReplies, 1)},
	Happenings: []Happening{
		{"a lease ran out in the store before its holder gave it up", ranOutWhileHeld},
	},
	Remedies: []Remedy{fencedLock, longerLeases},
}
