package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/checker"
)

// judging are the checker's options for the cell.
func (c Cell) judging() checker.Options {
	nodes, store := c.Params.Servers, c.Lock.store()
	if c.Lock.Single {
		nodes = 1
	}
	return checker.Options{
		Spec:          c.spec(),
		ProgressBound: c.progressBound(),
		Ownership:     c.Lock.Ownership,
		Queue:         c.Lock.Queue,
		Nodes:         nodes,
		Servers:       store.Lanes(c.Params),
		Terms:         store.Terms().Terms,
		// A key that is left behind blocks others for up to a lease, and a waiter that
		// misses its message sleeps as long.
		OrphanBound: max(c.Params.LeaseAsked()/4, leastBound),
		WakeupBound: max(c.Params.LeaseAsked()/4, leastBound),
		Recovery:    store.Timing().Recovery,
	}
}

// leastBound is the shortest delay worth reporting; pollers sleep this long.
const leastBound = 250 * time.Millisecond
