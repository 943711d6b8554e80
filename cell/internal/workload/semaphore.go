package workload

import (
	"context"
	"math/rand/v2"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
)

// Semaphore is a client of a semaphore. It takes a random number of permits at once, up to
// all, and reads the resource while it has them. From a [lock.PermitSemaphore] it takes
// one permit at a time, extends its lease if possible, and releases every other one by its
// name.
//
// Every other round it first tries without waiting, if it wants one permit and the
// semaphore supports it.
type Semaphore struct {
	Client
	Lock lock.Semaphore
	// Permits is the number of permits.
	Permits int64
	// Rand is the client's random source.
	Rand *rand.Rand
}

// Run goes through all rounds, or as many as there are until ctx is done.
func (c *Semaphore) Run(ctx context.Context) {
	named, hasNames := c.Lock.(lock.PermitSemaphore)
	for round := range c.Rounds {
		n := int64(1)
		if !hasNames {
			n += c.Rand.Int64N(c.Permits)
		}
		h := c.permits(ctx, n, hasNames, round%2 == 1)
		if h == nil {
			return // the run is over
		}
		c.step("enter", c.Think/32)
		if _, ok := c.read(ctx, h); ok {
			c.step("think", c.Stay)
			if c.extend(ctx, h) {
				c.read(ctx, h)
			}
		}
		if i, ok := h.lease.(lock.Identified); ok && hasNames && round%2 == 1 {
			h.lease = byName{of: named, id: i.ID()}
		}
		if _, ends := h.lease.(lock.Expirer); ends || hasNames {
			c.release(ctx, h)
		} else {
			c.insist(ctx, h)
		}
		c.step("rest", c.Think/8)
	}
}

// permits takes n permits at once.
func (c *Semaphore) permits(ctx context.Context, n int64, named, try bool) *hold {
	w := wanted{
		acquire: func(ctx context.Context) (lock.Lease, error) { return c.Lock.AcquireN(ctx, int(n)) },
		args:    &model.Call{Op: model.Acquire, N: n},
	}
	if named {
		w.args.N = 0
	}
	if trier, can := c.Lock.(lock.TryLocker); try && can && n == 1 {
		w.try = trier.TryAcquire
	}
	h := c.take(ctx, w)
	switch {
	case h == nil:
	case named:
		permit := ""
		if i, ok := h.lease.(lock.Identified); ok {
			permit = i.ID()
		}
		h.ends = &model.Call{Op: model.Release, Permit: permit}
		h.prolongs = &model.Call{Op: model.Extend, Permit: permit}
	default:
		h.ends = &model.Call{Op: model.Release, N: n}
	}
	return h
}

// byName is a lease of which only the name is known.
type byName struct {
	of lock.PermitSemaphore
	id string
}

// Release gives it back.
func (l byName) Release(ctx context.Context) error { return l.of.ReleaseID(ctx, l.id) }
