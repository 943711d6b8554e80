package workload

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
)

// Stock is a client of a stock. It places orders of random sizes until it has served all
// that it has, or until the stock does not suffice. Then it orders single items until none
// is left. It does not repeat a sale of unknown outcome.
type Stock struct {
	Client
	Lock lock.Stock
	// Items is the initial number of items, and Most the largest order.
	Items, Most int64
	// Rand is the client's random source.
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
	c.call(ctx, model.Call{Op: model.Read}, func(ctx context.Context, made *model.Call) error {
		n, err := c.Lock.Left(ctx)
		if err == nil {
			made.Valued, made.Value = true, int64(n)
		}
		return err
	})
}

// order places one order. It returns false if the stock is exhausted.
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
