package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// gcPause pauses a holder: its process stops, for a garbage collection, a page fault or
// the scheduler, and the lease expires meanwhile. When it resumes it still believes that
// it holds the lock, and so does the client that acquired it in between (Kleppmann, "How
// to do distributed locking", 2016).
var gcPause = &Scenario{
	ID:      "gc-pause",
	Summary: "a client process stops for a while, perhaps for longer than its lease lasts",
	Params:  Params{Clients: 2, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Once(faults.Pauses)},
	Happenings: []Happening{
		{Name: "a holder was paused for longer than its lease", In: pausedBeyondLease},
	},
	Remedies: []Remedy{fencedLock, longerLeases, waitingLock},
}
