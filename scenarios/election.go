package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// election changes the leader in every way: it crashes, hangs, or is cut off with a minority
// and some of the clients. A majority elects another. What was committed is kept; what was
// under way may be carried out or not, and clients of the old leader have to find the new
// one before their sessions end.
var election = &Scenario{
	ID:      "election",
	Summary: "the {serving} crashes, hangs or is cut off, and the others elect another",
	Params: Params{
		Clients: 3, Rounds: 2, Followers: 1, TTL: 4 * time.Second,
		Faults: stage.Once(faults.Failovers, faults.Hangs, faults.Partitions),
	},
	Lacks: unless(elects, "{store} elects no {serving} by itself"),
	Happenings: []Happening{
		{Name: "a leader was elected while a client held the lock", In: failoverWhileHeld},
	},
	Remedies: []Remedy{fencedLock, longerLeases},
}
