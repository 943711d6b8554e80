package workload

import (
	"context"
	"fmt"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
)

// Reentrant is a client of a re-entrant mutex. In its critical section it reads, takes the
// lock again as the same owner, writes, releases it once, and reads the resource before it
// releases it for good. Each round has a new owner.
type Reentrant struct{ Client }

// Run goes through all rounds, or as many as there are until ctx is done.
func (c *Reentrant) Run(ctx context.Context) {
	for round := range c.Rounds {
		owner := fmt.Sprintf("%s/%d#%d", c.Process.Name(), c.Thread, round)
		ctx := lock.WithOwner(ctx, owner)
		h := c.enter(ctx, owner, round%2 == 1)
		if h == nil {
			return // the run is over
		}
		c.step("enter", c.Think/32)
		value, ok := c.read(ctx, h)
		c.step("think", c.Stay)
		if ok && c.believes(h) {
			inner := c.enter(ctx, owner, false)
			if inner == nil {
				return
			}
			// A lock that was lost meanwhile and taken anew would be another.
			if c.believes(h) {
				c.write(ctx, inner, value+1)
			}
			c.step("inside", c.Think/8)
			c.release(ctx, inner)
			c.step("outside", c.Think/2)
			if c.extend(ctx, h) {
				c.read(ctx, h)
			}
		}
		c.release(ctx, h)
		c.step("rest", c.Think/8)
	}
}

// enter takes the lock, for the first time or again.
func (c *Reentrant) enter(ctx context.Context, owner string, try bool) *hold {
	w := wanted{acquire: c.Locker.Acquire, args: &model.Call{Op: model.Acquire, Owner: owner}}
	if trier, can := c.Locker.(lock.TryLocker); try && can {
		w.try = trier.TryAcquire
	}
	h := c.take(ctx, w)
	if h != nil {
		h.ends = &model.Call{Op: model.Release, Owner: owner}
	}
	return h
}
