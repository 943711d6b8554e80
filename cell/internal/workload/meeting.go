package workload

import (
	"context"
	"fmt"

	"github.com/lockpick-dev/lockpick/internal/claim"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
)

// Latch is a client of a latch: it closes the latch for all (or finds it closed), does its
// part, counts down, and waits for the others. It repeats a count of unknown outcome under
// the same name. There is one round, because a latch opens once.
type Latch struct {
	Client
	Lock lock.Latch
	// Count is the number of parties that count down.
	Count int64
}

// Run counts down once and waits.
func (c *Latch) Run(ctx context.Context) {
	closed := func() error {
		_, err := c.Lock.TrySet(ctx, int(c.Count))
		return err
	}
	if !c.prepare(ctx, closed) {
		return
	}
	c.step("work", c.Think)
	c.look(ctx)
	me := lock.WithOwner(ctx, fmt.Sprintf("%s/%d", c.Process.Name(), c.Thread))
	for !c.call(me, model.Call{Op: model.CountDown}, func(ctx context.Context, _ *model.Call) error { return c.Lock.CountDown(ctx) }) {
		if ctx.Err() != nil {
			return
		}
		c.step("back off", c.Think/8)
	}
	for !c.call(ctx, model.Call{Op: model.Await}, func(ctx context.Context, _ *model.Call) error { return c.Lock.Wait(ctx) }) {
		if ctx.Err() != nil {
			return
		}
		c.step("back off", c.Think/8)
	}
	c.look(ctx)
}

// look reads the count.
func (c *Latch) look(ctx context.Context) {
	c.call(ctx, model.Call{Op: model.Read}, func(ctx context.Context, made *model.Call) error {
		n, err := c.Lock.Count(ctx)
		if err == nil {
			made.Valued, made.Value = true, int64(n)
		}
		return err
	})
}

// Barrier is a client of a barrier. It waits there until the last generation has let it
// go. A client that an earlier generation did not let go continues with the next.
type Barrier struct {
	Client
	Lock lock.Barrier
}

// Run goes through all generations, or as many as there are until ctx is done.
func (c *Barrier) Run(ctx context.Context) {
	for last := int64(-1); last < int64(c.Rounds)-1 && ctx.Err() == nil; {
		c.step("work", c.Think)
		passed := c.call(ctx, model.Call{Op: model.Await}, func(ctx context.Context, made *model.Call) error {
			generation, err := c.Lock.Await(ctx)
			if err == nil {
				made.Valued, made.Value = true, generation
				last = generation
			}
			return err
		})
		if !passed {
			c.step("back off", c.Think/8)
		}
	}
}

// call makes and records a call that belongs to no hold. It reports whether it succeeded.
func (c *Client) call(ctx context.Context, made model.Call, f func(context.Context, *model.Call) error) bool {
	call := c.begin(made.Op, nil, &made)
	limited, done := c.cancellable(ctx, call)
	err := f(limited, &made)
	done()
	result, refused := claim.Called(err)
	call.End(result, err, func(op *model.Operation) {
		answer := call.Said()
		answer.Valued, answer.Value, answer.Refused = made.Valued, made.Value, refused
		op.Value = made.Value
	})
	return err == nil
}

// prepare repeats the set-up until it is known to have succeeded. It returns false if the
// run ends first.
func (c *Client) prepare(ctx context.Context, f func() error) bool {
	for ctx.Err() == nil {
		if f() == nil {
			return true
		}
		c.step("back off", c.Think/8)
	}
	return false
}
