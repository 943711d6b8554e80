package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// lostWakeup is about those who sleep until they are told. The word that wakes them
// is a message of Pub/Sub, which nobody keeps: it is lost if it is said before the
// subscription stands, with the connection on which it comes, or while that is
// made anew, and when the node restarts. Who has waited for nothing else waits for
// ever; who knows when the lease would have ended, until then. A lease is a minute
// here, so that it shows. Whoever subscribes has to look again when the
// subscription stands, each time that it does.
//
// The store keeps what it has: no fault here excuses two holders.
var lostWakeup = &Scenario{
	ID:      "lost-wakeup",
	Summary: "connections break and the node restarts while clients wait to be told of a release",
	Params:  Params{Clients: 3, Rounds: 2, TTL: 2 * time.Second, Lease: time.Minute, Faults: stage.Times(2, faults.LostReplies).With(faults.CleanRestarts, 1)},
	Happenings: []Happening{
		{"an answer or a message was lost on its way to a client that waited for another", lostWaiting},
		{"the node restarted while a client waited for another", restartWhileWaiting},
	},
	Remedies: []Remedy{pollingLock},
}
