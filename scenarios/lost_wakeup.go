package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// lostWakeup is for waiters that sleep until a Pub/Sub message wakes them. Nobody stores
// such a message. It is lost if it is published before the subscription is confirmed,
// while its connection is broken or being replaced, or when the node restarts. A waiter
// that relies on the message alone then waits for ever; one that knows the end of the
// lease waits until then. The lease is a minute here, so that the delay shows. A correct
// waiter looks again each time its subscription is confirmed.
//
// The store keeps all of its data: no fault here excuses two holders.
var lostWakeup = &Scenario{
	ID:      "lost-wakeup",
	Summary: "connections break and the node restarts while clients wait to be told of a release",
	Params:  Params{Clients: 3, Rounds: 2, TTL: 2 * time.Second, Lease: time.Minute, Faults: stage.Times(2, faults.LostReplies).With(faults.CleanRestarts, 1)},
	Happenings: []Happening{
		{Name: "an answer or a message was lost on its way to a client that waited while another held the lock", In: lostWaiting},
		{Name: "the node restarted while a client waited and another held the lock", In: restartWhileWaiting},
	},
	Remedies: []Remedy{pollingLock},
}
