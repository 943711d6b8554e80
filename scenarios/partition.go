package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// partition is the split brain. The network parts the serving node and some of the clients
// from its follower and the others, in both directions or in one. The other side cannot
// tell an unreachable node from a dead one, and promotes the follower. The old node goes
// on serving its side and grants locks that the new one does not know. When the sides are
// reunited it becomes a follower and drops them.
//
// Without a promotion, requests and answers wait, and arrive when their senders have given
// up.
var partition = &Scenario{
	ID:      "partition",
	Summary: "a partition cuts the {serving} and some clients off from the others, which may promote a {follower}",
	Params:  Params{Clients: 2, Rounds: 2, Followers: 1, TTL: 4 * time.Second, Faults: stage.Once(faults.Partitions)},
	Happenings: []Happening{
		{Name: "a partition lasted longer than the lease of a client that held the lock", In: partedBeyondLease},
		{Name: "both sides of a partition had a {serving} while a client held the lock", In: splitWhileHeld, Where: splits},
	},
	Remedies: []Remedy{waitingLock, fencedLock, longerLeases},
}
