package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// twoStepRelease is about a release that looks first and deletes then. No
// fault strikes but that the network holds segments back: if the DEL is late
// past the end of the lease, somebody else may own the key when it arrives.
// An atomic compare-and-delete is late as well, but does no harm.
var twoStepRelease = &Scenario{
	ID:      "two-step-release",
	Summary: "the network holds a segment or two back, perhaps past the end of a lease",
	Params:  Params{Clients: 2, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Times(2, faults.Delays)},
	Happenings: []Happening{
		{"a {record} expired or changed owner while its holder was releasing it", goneDuringRelease},
	},
	Remedies: []Remedy{atomicLock, fencedLock, longerLeases},
}
