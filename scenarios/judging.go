package scenarios

import (
	"slices"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// lesson is what has been learnt of a lock in a calm run. Copies of a cell
// share it.
type lesson struct {
	once sync.Once
	keys []string
}

// judging is what the checker has to know of the cell.
func (c Cell) judging(how explore.Run) checker.Options {
	nodes := c.Params.Nodes
	if c.Lock.Single {
		nodes = 1
	}
	return checker.Options{
		Spec:          c.spec(),
		ProgressBound: progressBound(c.Params),
		LockKeys:      c.lockKeys(how),
		Ownership:     c.Lock.Ownership,
		Queue:         c.Lock.Queue,
		Nodes:         nodes,
		Servers:       c.Params.servers(),
		// A key that was left behind is in the way for up to a lease, and a
		// waiter who has to be woken sleeps as long.
		OrphanBound: max(c.Params.lease()/4, leastBound),
		WakeupBound: max(c.Params.lease()/4, leastBound),
		Recovery:    recovery,
	}
}

// leastBound is what others may wait for in vain however short the lease is: who
// asks again every now and then rests for as long, and it is nothing to speak of.
const leastBound = 250 * time.Millisecond

// lockKeys are the keys that are the lock's: those that a release removes in a
// run of one client and one round in which nothing happens. They are found out
// once for each process.
func (c Cell) lockKeys(how explore.Run) []string {
	l := c.learnt
	if l == nil {
		l = new(lesson)
	}
	l.once.Do(func() { l.keys = c.calm().removed(how) })
	return l.keys
}

// calm is the cell with one client, one round and no faults.
func (c Cell) calm() Cell {
	p := c.Params
	c.Params = Params{Clients: 1, Rounds: 1, Replicas: p.Replicas, Nodes: p.Nodes, TTL: p.TTL, Lease: p.Lease}
	return c
}

// removed runs the cell calmly and returns the keys that its releases remove.
func (c Cell) removed(how explore.Run) []string {
	h, _ := c.play(explore.Run{Tape: sim.Calm{}, Progress: how.Progress})
	keys := []string{}
	for i := range h.Observations {
		o := &h.Observations[i]
		by := h.Operation(o.By.Op)
		if o.Kind == model.KeyDeleted && o.Primary && by != nil && by.Kind == model.Release && !slices.Contains(keys, o.Key) {
			keys = append(keys, o.Key)
		}
	}
	return keys
}
