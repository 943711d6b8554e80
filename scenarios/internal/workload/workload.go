// Package workload is what clients do with a lock in a run: acquire it, read
// the protected resource, think, write it, release the lock; and again.
package workload

import (
	"context"
	"errors"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/internal/record"
	"github.com/lockpick-dev/lockpick/scenarios/internal/resource"
	"github.com/lockpick-dev/lockpick/sim"
)

// Client is one thread of a client process. It is a careful one: it looks at
// its lease before each access and leaves when the lease has ended. Between
// that look and the access a pause may still fall.
type Client struct {
	Process  *sim.Process
	Thread   int
	Locker   lock.Locker
	Resource *resource.Client
	Recorder *record.Recorder
	// Rounds is how many critical sections it goes through.
	Rounds int
	// Think is how long it works between reading and writing; everything
	// else it does takes a small part of that.
	Think time.Duration

	held int // how many times it has had the lock
}

// Run goes through all rounds, or as many as there are until ctx is done.
func (c *Client) Run(ctx context.Context) {
	for range c.Rounds {
		h := c.acquire(ctx)
		if h == nil {
			return // the run is over
		}
		c.section(ctx, h)
		c.release(ctx, h)
		c.Process.Step("rest", c.Think/8)
	}
}

// hold is one acquisition, from Acquire's return on.
type hold struct {
	lease lock.Lease
	call  *record.Call
	token *int64
}

// acquire tries until it has the lock, so that nobody starves unseen.
func (c *Client) acquire(ctx context.Context) *hold {
	for ctx.Err() == nil {
		call := c.Recorder.Begin(c.Process, c.Thread, model.Acquire, nil, 0)
		lease, err := c.Locker.Acquire(ctx)
		if err == nil {
			return c.acquired(lease, call)
		}
		outcome := model.Unknown
		if errors.Is(err, lock.ErrNotAcquired) {
			outcome = model.Failed
		}
		call.End(outcome, err, nil)
		c.Process.Step("back off", c.Think/8)
	}
	return nil
}

func (c *Client) acquired(lease lock.Lease, call *record.Call) *hold {
	c.held++
	h, number := &hold{lease: lease, call: call}, c.held
	var until time.Duration
	expirer, expires := lease.(lock.Expirer)
	if expires {
		until = c.Process.Clock().When(expirer.Until())
	}
	if f, ok := lease.(lock.Fenced); ok {
		token := f.Token()
		h.token = &token
	}
	notifier, notifies := lease.(lock.Notifier)
	call.End(model.OK, nil, func(op *model.Operation) {
		op.Leased, op.Until, op.Notifies = expires, until, notifies
		if h.token != nil {
			op.Fenced, op.Token = true, *h.token
		}
	})
	if notifies {
		go func() {
			select {
			case <-notifier.Lost():
				call.Lost(number)
			case <-c.Process.Ended():
			}
		}()
	}
	return h
}

// mine looks whether the lease still claims the lock.
func (c *Client) mine(h *hold) bool {
	if e, ok := h.lease.(lock.Expirer); ok && !c.Process.Clock().Now().Before(e.Until()) {
		return false
	}
	if n, ok := h.lease.(lock.Notifier); ok {
		select {
		case <-n.Lost():
			return false
		default:
		}
	}
	return true
}

// section is the critical section: read, think, write one more.
func (c *Client) section(ctx context.Context, h *hold) {
	c.Process.Step("enter", c.Think/32)
	if !c.mine(h) {
		return
	}
	read := c.Recorder.Begin(c.Process, c.Thread, model.Read, h.call, 0)
	value, err := c.Resource.Read(ctx, h.token)
	read.End(outcome(err), err, func(op *model.Operation) { op.Value = value })
	if err != nil {
		return
	}
	c.Process.Step("think", c.Think)
	if !c.mine(h) {
		return
	}
	write := c.Recorder.Begin(c.Process, c.Thread, model.Write, h.call, value+1)
	err = c.Resource.Write(ctx, value+1, h.token)
	write.End(outcome(err), err, nil)
	c.Process.Step("leave", c.Think/32)
}

// outcome is what a client knows after an access.
func outcome(err error) model.Outcome {
	switch {
	case err == nil:
		return model.OK
	case errors.Is(err, resource.ErrRefused):
		return model.Failed
	}
	return model.Unknown
}

func (c *Client) release(ctx context.Context, h *hold) {
	call := c.Recorder.Begin(c.Process, c.Thread, model.Release, h.call, 0)
	err := h.lease.Release(ctx)
	notHeld := errors.Is(err, lock.ErrNotHeld)
	result := model.Unknown
	switch {
	case err == nil:
		result = model.OK
	case notHeld:
		result = model.Failed
	}
	call.End(result, err, func(op *model.Operation) { op.NotHeld = notHeld })
}
