package workload

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
)

// Stock is a client that serves orders from a stock, of as many items as it
// draws for each, until it has served all that it has, or is told that the stock
// does not suffice. Then it orders item by item until there is none: nothing must
// be left over. A sale of which it does not know whether it was made is not made
// again.
type Stock struct {
	Client
	Lock lock.Stock
	// Items is how many there are at first, and Most how many an order is for at
	// most.
	Items, Most int64
	// Rand is what the client draws from.
	Rand *rand.Rand
}

// Run serves orders, or as many as there are until ctx is done.
func (c *Stock) Run(ctx context.Context) {
	filler, can := c.Lock.(lock.Filler)
	filled := func() error {
		if !can {
			return nil
		}
		_, err := filler.Fill(ctx, int(c.Items))
		return err
	}
	if !c.prepare(ctx, filled) {
		return
	}
	for range c.Rounds {
		c.order(ctx, 1+c.Rand.Int64N(c.Most))
		c.step("rest", c.Think/8)
	}
	for c.order(ctx, 1) {
		c.step("rest", c.Think/8)
	}
	c.call(ctx, model.Call{Op: model.Read}, func(ctx context.Context, said *model.Call) error {
		n, err := c.Lock.Left(ctx)
		if err == nil {
			said.Valued, said.Value = true, int64(n)
		}
		return err
	})
}

// order serves one order. It answers false if there is nothing to be had.
func (c *Stock) order(ctx context.Context, n int64) (more bool) {
	more = true
	c.call(ctx, model.Call{Op: model.Take, N: n}, func(ctx context.Context, _ *model.Call) error {
		err := c.Lock.Sell(ctx, int(n), func(context.Context) error {
			c.step("pack", c.Think/4)
			return ctx.Err()
		})
		more = ctx.Err() == nil && !errors.Is(err, lock.ErrSoldOut)
		return err
	})
	return more
}
