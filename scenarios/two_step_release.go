package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// twoStepRelease is for a release that first looks and then deletes. The only fault is
// that the network holds segments back. If the DEL arrives after the end of the lease,
// another client may own the key. An atomic compare-and-delete may be late as well, but
// does no harm.
var twoStepRelease = &Scenario{
	ID:      "two-step-release",
	Summary: "the network holds a segment or two back, perhaps past the end of a lease",
	Params:  Params{Clients: 2, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Times(2, faults.Delays)},
	Happenings: []Happening{
		{Name: "a {record} expired or changed owner while its holder was releasing it", In: goneDuringRelease},
	},
	Remedies: []Remedy{atomicLock, fencedLock, longerLeases},
}
