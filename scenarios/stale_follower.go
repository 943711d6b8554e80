package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// staleFollower lets followers fall behind. A client reads from its follower that there is
// no other holder, or that its own record is still there, when the leader has committed
// otherwise long ago. Connections break, so that clients change from one node to another.
var staleFollower = &Scenario{
	ID:      "stale-follower",
	Summary: "a {follower} learns late what the {serving} has committed, and answers clients with what is old",
	Params:  Params{Clients: 3, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Times(2, faults.Lags).With(faults.Resets, 1)},
	Lacks:   unless(readsLocally, "no {follower} answers clients"),
	Happenings: []Happening{
		{Name: "a message between {node}s was late by more than a lease while a client held the lock", In: laggedWhileHeld},
	},
	Remedies: []Remedy{fencedLock, longerLeases},
}

// laggedWhileHeld: a message that belongs to no operation was late by more than a lease.
func laggedWhileHeld(h *model.History) bool {
	return observed(h, func(o *model.Observation, s span) bool {
		return o.Kind == model.Delayed && o.By.Op == 0 && o.For > h.TTL && s.contains(o.Seq)
	})
}
