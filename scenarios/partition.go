package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// partition is the split brain. The network parts the serving node, with some of
// the clients, from its follower and the others, in both directions or in one.
// The other side cannot tell a node that it does not hear from one that is
// dead and promotes the follower. The old one goes on serving its side: it
// gives locks away that the new one knows nothing of, and when the sides are
// united it becomes a follower and drops them.
//
// Without a promotion a partition is patience: requests and answers wait, and
// arrive when nobody counts on them any more.
var partition = &Scenario{
	ID:      "partition",
	Summary: "the network parts the {serving} and some clients from the others, who may promote a {follower}",
	Params:  Params{Clients: 2, Rounds: 2, Followers: 1, TTL: 4 * time.Second, Faults: stage.Once(faults.Partitions)},
	Happenings: []Happening{
		{"both sides of a partition had a {serving} while a client held the lock", splitWhileHeld},
		{"a partition lasted longer than the lease of a client that held the lock", partedBeyondLease},
	},
	Remedies: []Remedy{waitingLock, fencedLock, longerLeases},
}
