package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// failoverLoss loses a lock with the serving node. Replication is asynchronous: the node
// acknowledges a write and crashes before the follower has it, and the follower is
// promoted without the record. The first client still believes that it holds the lock; the
// second finds it free.
//
// With a fencing counter on the same node, the INCR is lost with the SET, and both clients
// have the same token.
var failoverLoss = &Scenario{
	ID:      "failover-loss",
	Summary: "the {serving} crashes and a {follower} is promoted, perhaps without the last writes",
	Params:  Params{Clients: 2, Rounds: 2, Followers: 1, TTL: 2 * time.Second, Faults: stage.Once(faults.Failovers)},
	Happenings: []Happening{
		{Name: "a failover struck while a client held the lock", In: failoverWhileHeld},
	},
	Remedies: []Remedy{waitingLock, fencedLock, longerLeases},
}
