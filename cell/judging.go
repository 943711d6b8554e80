package cell

import (
	"time"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// Judging returns the checker's options for the cell.
func (c Cell) Judging() checker.Options {
	nodes, store := c.Params.Servers, c.Lock.Store
	apart := c.Lock.Reading.Single && nodes > 1
	if apart {
		nodes = 1
	}
	var part func(string) string
	if d, divided := store.(stage.Dividing); divided {
		part = d.Parts(c.Params)
	}
	return checker.Options{
		Added:         c.Added,
		Spec:          c.spec(),
		ProgressBound: c.progressBound(),
		Ownership:     c.Lock.Reading.Ownership,
		Queue:         c.Lock.Reading.Queue,
		Nodes:         nodes,
		Servers:       store.Lanes(c.Params),
		Apart:         apart,
		Part:          part,
		Terms:         store.Terms().Terms,
		// A key that is left behind blocks others for up to a lease, and a waiter that
		// misses its message sleeps as long.
		OrphanBound: max(c.Params.LeaseAsked()/4, leastBound),
		WakeupBound: max(c.Params.LeaseAsked()/4, leastBound),
		Recovery:    c.recovery(),
	}
}

// leastBound is the shortest delay worth reporting; pollers sleep this long.
const leastBound = 250 * time.Millisecond

// progressBound returns how long a client may wait for the lock after the last fault: the dead
// holder's lease, the clients' time-outs and retries, and the turns of all others.
func (c Cell) progressBound() time.Duration {
	p := c.Params
	turn := think(p)*4 + c.longest()
	return p.LeaseAsked() + c.recovery() + time.Duration(p.Clients*p.ThreadCount()*p.Rounds)*turn
}

// recovery returns how long a client may still be busy once a fault is over and the servers have settled.
func (c Cell) recovery() time.Duration {
	d := c.Lock.Store.Timing().Recovery
	if s, settles := c.Lock.Store.(stage.Settling); settles {
		d += s.Settles(c.Params)
	}
	return d
}
