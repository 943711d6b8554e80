package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/checker"
)

// judging is what the checker has to know of the cell.
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
		// A key that was left behind is in the way for up to a lease, and a
		// waiter who has to be woken sleeps as long.
		OrphanBound: max(c.Params.LeaseAsked()/4, leastBound),
		WakeupBound: max(c.Params.LeaseAsked()/4, leastBound),
		Recovery:    store.Timing().Recovery,
	}
}

// leastBound is what others may wait for in vain however short the lease is: who
// asks again every now and then rests for as long, and it is nothing to speak of.
const leastBound = 250 * time.Millisecond
