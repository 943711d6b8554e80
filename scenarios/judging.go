package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/checker"
)

// judging is what the checker has to know of the cell.
func (c Cell) judging() checker.Options {
	nodes := c.Params.Nodes
	if c.Lock.Single {
		nodes = 1
	}
	return checker.Options{
		Spec:          c.spec(),
		ProgressBound: progressBound(c.Params),
		Ownership:     c.Lock.Ownership,
		Queue:         c.Lock.Queue,
		Nodes:         nodes,
		Servers:       serverNames(c.Params),
		// A key that was left behind is in the way for up to a lease, and a
		// waiter who has to be woken sleeps as long.
		OrphanBound: max(c.Params.LeaseAsked()/4, leastBound),
		WakeupBound: max(c.Params.LeaseAsked()/4, leastBound),
		Recovery:    recovery,
	}
}

// leastBound is what others may wait for in vain however short the lease is: who
// asks again every now and then rests for as long, and it is nothing to speak of.
const leastBound = 250 * time.Millisecond
