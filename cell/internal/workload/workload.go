// Package workload is what clients do with a lock in a run. They acquire it, read the
// protected resource, think, write the resource and release the lock, in several rounds.
package workload

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/cell/internal/resource"
	"github.com/lockpick-dev/lockpick/internal/claim"
	"github.com/lockpick-dev/lockpick/internal/record"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Client is one thread of a client process. It is careful: it checks its lease before each
// access and stops when the lease has ended. Between that check and the access a pause may
// still fall.
//
// It uses the lock's optional interfaces. Every other round it first tries without
// waiting, if the locker is a [lock.TryLocker]. It extends a lease that is a
// [lock.Extender] once, after half the TTL, and works a while longer. A lock without these
// interfaces sees the same calls at the same times.
type Client struct {
	Process  *sim.Process
	Thread   int
	Locker   lock.Locker
	Resource *resource.Client
	Recorder *record.Recorder
	// Rounds is the number of critical sections.
	Rounds int
	// Stay is the time between reading and writing, usually Think; all other steps take a small part of
	// Think.
	Think, Stay time.Duration
	// TTL and Lease are when a lease is extended, and by how much: by Lease, after half
	// of TTL, or of Lease if that is shorter.
	TTL, Lease time.Duration
	// Longer is how much longer the client holds a lock that is kept alive: one that renews
	// its leases (Renews), or whose record lives with a session that the client library keeps
	// alive (KeepsAlive). For half of that it reads the resource again every Think.
	Longer             time.Duration
	Renews, KeepsAlive bool
	// Again: release every n-th hold twice, the second time after the rest (0: never).
	Again int
	// Checks makes the client ask the store before each access whether it still holds the
	// lock, if the lease is a [lock.Checker].
	Checks bool
	// Cancel, if set, returns a context for an operation that may end before the operation
	// returns, and a function to call after the operation.
	Cancel func(context.Context, *record.Call) (_ context.Context, done func())

	held int // how many times it has had the lock
}

// Run goes through all rounds, or until ctx is done.
func (c *Client) Run(ctx context.Context) {
	for round := range c.Rounds {
		h := c.acquire(ctx, round%2 == 1)
		if h == nil {
			return // the run is over
		}
		c.section(ctx, h)
		c.release(ctx, h)
		c.step("rest", c.Think/8)
		if c.Again > 0 && c.held%c.Again == 0 {
			c.release(ctx, h)
		}
	}
}

// step lets time pass. Steps that threads begin at once have different names.
func (c *Client) step(what string, d time.Duration) {
	if c.Thread > 0 {
		what += ", thread " + strconv.Itoa(c.Thread)
	}
	c.Process.Step(what, d)
}

// hold is one acquisition, from the return of Acquire.
type hold struct {
	lease lock.Lease
	call  *record.Call
	token *int64
	until time.Time // of the lease's validity, as it has been recorded
	// keptAlive is set, at the client's next step, if the lock does not end at the end of
	// the lease that it has now.
	keptAlive bool
	// ends and prolongs are the recorded calls of Release and Extend for an object that is
	// not a mutex; nil if they record none.
	ends, prolongs *model.Call
}

// acquire retries until it has the lock, so that starvation shows. With try it first tries
// without waiting, if the locker can.
func (c *Client) acquire(ctx context.Context, try bool) *hold {
	w := wanted{acquire: c.Locker.Acquire}
	if trier, can := c.Locker.(lock.TryLocker); try && can {
		w.try = trier.TryAcquire
	}
	return c.take(ctx, w)
}

// wanted is a request: how to acquire the object, how to try it first without waiting, if
// wanted, and the call to record for an object that is not a mutex.
type wanted struct {
	acquire, try func(context.Context) (lock.Lease, error)
	args         *model.Call
}

// take retries until the request is granted; nil if the run is over.
func (c *Client) take(ctx context.Context, w wanted) *hold {
	acquire, try := w.try, w.try != nil
	for ctx.Err() == nil {
		if !try {
			acquire = w.acquire
		}
		call := c.begin(model.Acquire, nil, w.args)
		limited, done := c.cancellable(ctx, call)
		lease, err := acquire(limited)
		done()
		if err == nil && lease == nil {
			panic("the lock's Acquire has returned neither a lease nor an error")
		}
		if err == nil {
			return c.acquired(lease, call, try)
		}
		tried := try
		call.End(claim.Tried(err), err, func(op *model.Operation) { op.Try = tried })
		try = false
		c.step("back off", c.Think/8)
	}
	return nil
}

// begin records a call, as a model.Call for an object that is not a mutex.
func (c *Client) begin(kind model.OpKind, acquired *record.Call, args *model.Call) *record.Call {
	if args == nil {
		return c.Recorder.Begin(c.Process, c.Thread, kind, acquired, 0)
	}
	return c.Recorder.Ask(c.Process, c.Thread, kind, acquired, *args)
}

// cancellable returns a context for an operation that may end before the operation
// returns, and a function to call after the operation.
func (c *Client) cancellable(ctx context.Context, call *record.Call) (context.Context, func()) {
	if c.Cancel == nil {
		return ctx, func() {}
	}
	return c.Cancel(ctx, call)
}

func (c *Client) acquired(lease lock.Lease, call *record.Call, try bool) *hold {
	c.held++
	h, number := &hold{lease: lease, call: call}, c.held
	claimed := c.claimed(h)
	h.token = Granted(c.Process, call, lease, func() int { return number }, func(op *model.Operation) {
		claimed(op)
		op.Try = try
		h.keptAlive = c.Renews || c.KeepsAlive && call.InSession()
		if i, ok := lease.(lock.Identified); ok && call.Said() != nil {
			call.Said().Permit = i.ID()
		}
	})
	return h
}

// claimed reads the end of the lease, and returns a function that records it if it is new.
func (c *Client) claimed(h *hold) func(*model.Operation) { return c.news(h, claim.End(h.lease)) }

// news returns a function that records the end of the lease if it is new.
func (c *Client) news(h *hold, end time.Time) func(*model.Operation) {
	if end.Equal(h.until) {
		return func(*model.Operation) {}
	}
	h.until = end
	until := c.Process.LeaseClock().When(end)
	return func(op *model.Operation) { op.Leased, op.Until = true, until }
}

// mine checks whether the lease still claims the lock. If so, learnt records the end of
// the lease in the operation that follows.
func (c *Client) mine(h *hold) (learnt func(*model.Operation), ok bool) {
	end := claim.End(h.lease)
	if !c.claims(h, end) {
		return nil, false
	}
	return c.news(h, end), true
}

// believes checks whether the lease still claims the lock, without recording its end.
func (c *Client) believes(h *hold) bool { return c.claims(h, claim.End(h.lease)) }

// claims reports whether a lease with this end still claims the lock.
func (c *Client) claims(h *hold, end time.Time) bool {
	return claim.Holds(h.lease, end, c.Process.LeaseClock().Now())
}

// section is the critical section: read, think, write the value plus one.
func (c *Client) section(ctx context.Context, h *hold) {
	c.step("enter", c.Think/32)
	longer := time.Duration(0)
	if h.keptAlive {
		longer = c.Longer / 2
	}
	value, ok := c.read(ctx, h)
	if value, ok = c.readOn(ctx, h, longer, value, ok); !ok {
		return
	}
	c.step("think", c.Stay+longer)
	if !c.extend(ctx, h) || !c.write(ctx, h, value+1) {
		return
	}
	c.step("leave", c.Think/32)
}

// readOn reads the resource repeatedly for a while, unless the lease ends.
func (c *Client) readOn(ctx context.Context, h *hold, d time.Duration, value int64, ok bool) (int64, bool) {
	for worked := time.Duration(0); ok && worked < d; worked += c.Think {
		c.step("read on", c.Think)
		value, ok = c.read(ctx, h)
	}
	return value, ok
}

// checked asks the store whether the client still holds the lock, if Checks is set.
func (c *Client) checked(ctx context.Context, h *hold) bool {
	checker, can := h.lease.(lock.Checker)
	if !c.Checks || !can {
		return true
	}
	held, err := checker.Held(ctx)
	return held && err == nil
}

// read reads the resource, unless the lease has ended.
func (c *Client) read(ctx context.Context, h *hold) (value int64, ok bool) {
	learnt, ok := c.mine(h)
	if !ok || !c.checked(ctx, h) {
		return 0, false
	}
	read := c.Recorder.Begin(c.Process, c.Thread, model.Read, h.call, 0, learnt)
	value, err := c.Resource.Read(ctx, h.token)
	read.End(outcome(err), err, func(op *model.Operation) { op.Value = value })
	return value, err == nil
}

// write writes the resource, unless the lease has ended.
func (c *Client) write(ctx context.Context, h *hold, value int64) bool {
	learnt, ok := c.mine(h)
	if !ok || !c.checked(ctx, h) {
		return false
	}
	write := c.Recorder.Begin(c.Process, c.Thread, model.Write, h.call, value, learnt)
	err := c.Resource.Write(ctx, value, h.token)
	write.End(outcome(err), err, nil)
	return true
}

// extend extends a lease after half the TTL, if it can be extended, and works on. It
// reports whether the lease may still be the client's.
func (c *Client) extend(ctx context.Context, h *hold) bool {
	e, can := h.lease.(lock.Extender)
	if !can {
		return true
	}
	c.step("go on", max(min(c.TTL, c.Lease)/2-c.Stay, 0))
	call := c.begin(model.Extend, h.call, h.prolongs)
	limited, done := c.cancellable(ctx, call)
	err := e.Extend(limited, c.Lease)
	done()
	result, notHeld := claim.Answered(err)
	claimed := func(*model.Operation) {}
	if err == nil {
		claimed = c.claimed(h)
	}
	call.End(result, err, func(op *model.Operation) {
		op.NotHeld = notHeld
		claimed(op)
	})
	if notHeld {
		return false
	}
	c.step("work on", c.Think)
	return true
}

// outcome returns the outcome of an access.
func outcome(err error) model.Outcome {
	switch {
	case err == nil:
		return model.OK
	case errors.Is(err, resource.ErrRefused):
		return model.Failed
	}
	return model.Unknown
}

// release releases a hold. It reports whether another call would add nothing: the
// outcome is known, or cannot be.
func (c *Client) release(ctx context.Context, h *hold) (done bool) {
	call := c.begin(model.Release, h.call, h.ends)
	limited, end := c.cancellable(ctx, call)
	err := h.lease.Release(limited)
	end()
	result, notHeld := claim.Answered(err)
	call.End(result, err, func(op *model.Operation) { op.NotHeld = notHeld })
	return result != model.Unknown || errors.Is(err, lock.ErrUnknown)
}

// insist releases a hold that does not end by itself: it retries until the outcome is
// known, or cannot be.
func (c *Client) insist(ctx context.Context, h *hold) {
	for ctx.Err() == nil && !c.release(ctx, h) {
		c.step("insist", c.Think/8)
	}
}
