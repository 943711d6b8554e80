// Package workload is what clients do with a lock in a run. They acquire it, read the
// protected resource, think, write the resource and release the lock, in several rounds.
package workload

import (
	"context"
	"errors"
	"strconv"
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
//
// What it does beyond acquiring and releasing depends on what the lock can do.
// Every other round it first tries without waiting, if the locker is a
// [lock.TryLocker]. A lease that is a [lock.Extender] is extended once, when
// the client has worked for half the TTL, and the client works a while longer.
// Locks that can do neither see the same calls at the same times as if there
// were no such thing.
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
	// TTL, or Lease if that is shorter, is after half of which a lease is extended,
	// for another Lease.
	TTL, Lease time.Duration
	// Longer is how much longer it works, with a lock that renews its leases: half
	// of that it reads the resource again every Think. 0 for no longer.
	Longer time.Duration
	// Again says which holds are released a second time, when the client has
	// rested: every one of so many, 0 for none.
	Again int
	// Checks says that before each access it asks the store whether it still holds
	// the lock, if the lease is a [lock.Checker].
	Checks bool
	// Cancel, if set, gives an operation a context that may end before the
	// operation returns, and a function to call when it has returned.
	Cancel func(context.Context, *record.Call) (_ context.Context, done func())

	held int // how many times it has had the lock
}

// Run goes through all rounds, or as many as there are until ctx is done.
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

// step lets time pass. Threads that begin the same step at once are told apart.
func (c *Client) step(what string, d time.Duration) {
	if c.Thread > 0 {
		what += ", thread " + strconv.Itoa(c.Thread)
	}
	c.Process.Step(what, d)
}

// hold is one acquisition, from Acquire's return on.
type hold struct {
	lease lock.Lease
	call  *record.Call
	token *int64
	until time.Time // of the lease's validity, as it has been recorded
	// ends and prolongs are what its Release and its Extend say of an object that
	// is no mutex; nil if they say nothing.
	ends, prolongs *model.Call
}

// acquire tries until it has the lock, so that nobody starves unseen; at first
// without waiting, if that is wanted and the locker can.
func (c *Client) acquire(ctx context.Context, try bool) *hold {
	w := wanted{acquire: c.Locker.Acquire}
	if trier, can := c.Locker.(lock.TryLocker); try && can {
		w.try = trier.TryAcquire
	}
	return c.take(ctx, w)
}

// wanted is what a client asks for: how to acquire it, and without waiting, if
// it shall try that first. Said is that in the language of an object that is no
// mutex.
type wanted struct {
	acquire, try func(context.Context) (lock.Lease, error)
	said         *model.Call
}

// take tries until it has what is wanted; nil if the run is over.
func (c *Client) take(ctx context.Context, w wanted) *hold {
	acquire, try := w.try, w.try != nil
	for ctx.Err() == nil {
		if !try {
			acquire = w.acquire
		}
		call := c.begin(model.Acquire, nil, w.said)
		limited, done := c.cancellable(ctx, call)
		lease, err := acquire(limited)
		done()
		if err == nil {
			return c.acquired(lease, call, try)
		}
		outcome := model.Unknown
		if errors.Is(err, lock.ErrNotAcquired) {
			outcome = model.Failed
		}
		tried := try
		call.End(outcome, err, func(op *model.Operation) { op.Try = tried })
		try = false
		c.step("back off", c.Think/8)
	}
	return nil
}

// begin records a call, in the language of an object that is no mutex if it is
// one.
func (c *Client) begin(kind model.OpKind, acquired *record.Call, said *model.Call) *record.Call {
	if said == nil {
		return c.Recorder.Begin(c.Process, c.Thread, kind, acquired, 0)
	}
	return c.Recorder.Ask(c.Process, c.Thread, kind, acquired, *said)
}

// cancellable returns a context for an operation that may end before the
// operation returns, and a function to call when it has.
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
	if f, ok := lease.(lock.Fenced); ok {
		token := f.Token()
		h.token = &token
	}
	notifier, notifies := lease.(lock.Notifier)
	call.End(model.OK, nil, func(op *model.Operation) {
		claimed(op)
		op.Notifies, op.Try = notifies, try
		if h.token != nil {
			op.Fenced, op.Token = true, *h.token
		}
		if i, ok := lease.(lock.Identified); ok && call.Said() != nil {
			call.Said().Permit = i.ID()
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

// claimed looks until when the lease claims to be valid, and returns what
// records that if it is news.
func (c *Client) claimed(h *hold) func(*model.Operation) { return c.news(h, validity(h)) }

// validity is until when the lease of a hold claims to be valid, zero if it does not
// say.
func validity(h *hold) (end time.Time) {
	if e, expires := h.lease.(lock.Expirer); expires {
		end = e.Until()
	}
	return end
}

// news returns what records the end of the lease, if it has not been recorded.
func (c *Client) news(h *hold, end time.Time) func(*model.Operation) {
	if end.Equal(h.until) {
		return func(*model.Operation) {}
	}
	h.until = end
	until := c.Process.Clock().When(end)
	return func(op *model.Operation) { op.Leased, op.Until = true, until }
}

// mine looks whether the lease still claims the lock. If so, what it has learnt of
// the end of the lease goes to the operation that follows.
func (c *Client) mine(h *hold) (learnt func(*model.Operation), ok bool) {
	end := validity(h)
	if !c.stands(h, end) {
		return nil, false
	}
	return c.news(h, end), true
}

// believes looks whether the lease still claims the lock, before something that can
// record nothing of its end.
func (c *Client) believes(h *hold) bool { return c.stands(h, validity(h)) }

// stands reports whether a lease with such an end still claims the lock.
func (c *Client) stands(h *hold, end time.Time) bool {
	if !end.IsZero() && !c.Process.Clock().Now().Before(end) {
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
	c.step("enter", c.Think/32)
	value, ok := c.read(ctx, h)
	if value, ok = c.readOn(ctx, h, value, ok); !ok {
		return
	}
	c.step("think", c.Think+c.Longer/2)
	if !c.extend(ctx, h) || !c.write(ctx, h, value+1) {
		return
	}
	c.step("leave", c.Think/32)
}

// readOn reads the resource again and again, for half of how much longer it works,
// unless the lease ends meanwhile.
func (c *Client) readOn(ctx context.Context, h *hold, value int64, ok bool) (int64, bool) {
	for worked := time.Duration(0); ok && worked < c.Longer/2; worked += c.Think {
		c.step("read on", c.Think)
		value, ok = c.read(ctx, h)
	}
	return value, ok
}

// checked asks the store whether the lease still stands, if the client does so.
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

// extend prolongs a lease that can be prolonged, when half the TTL is over,
// and works on. It answers whether the lease may still be the client's.
func (c *Client) extend(ctx context.Context, h *hold) bool {
	e, can := h.lease.(lock.Extender)
	if !can {
		return true
	}
	c.step("go on", min(c.TTL, c.Lease)/2-c.Think)
	call := c.begin(model.Extend, h.call, h.prolongs)
	limited, done := c.cancellable(ctx, call)
	err := e.Extend(limited, c.Lease)
	done()
	result, notHeld := answered(err)
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

// answered is what a client knows after a Release or an Extend.
func answered(err error) (result model.Outcome, notHeld bool) {
	switch {
	case err == nil:
		return model.OK, false
	case errors.Is(err, lock.ErrNotHeld):
		return model.Failed, true
	}
	return model.Unknown, false
}

// release gives a hold up. It answers whether it was told if it has.
func (c *Client) release(ctx context.Context, h *hold) (told bool) {
	call := c.begin(model.Release, h.call, h.ends)
	limited, done := c.cancellable(ctx, call)
	err := h.lease.Release(limited)
	done()
	result, notHeld := answered(err)
	call.End(result, err, func(op *model.Operation) { op.NotHeld = notHeld })
	return result != model.Unknown
}

// insist gives up a hold that does not end by itself: it goes on until it is
// told that it has.
func (c *Client) insist(ctx context.Context, h *hold) {
	for ctx.Err() == nil && !c.release(ctx, h) {
		c.step("insist", c.Think/8)
	}
}
