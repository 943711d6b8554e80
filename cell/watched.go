package cell

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/cell/internal/workload"
	"github.com/lockpick-dev/lockpick/internal/claim"
	"github.com/lockpick-dev/lockpick/internal/record"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
)

// Watch returns a locker that passes each call on to the given one, and records it in the run's
// history; the properties of locks judge it. Name is the lock's name in texts, which need not be
// its own. Direct calls of the given locker are not recorded.
func (p *Process) Watch(name string, locker lock.Locker) *Watched {
	return &Watched{process: p, name: name, locker: locker}
}

// Watched is a lock that the history records: see [Process.Watch].
type Watched struct {
	process *Process
	name    string
	locker  lock.Locker
}

// Acquire calls the locker's Acquire.
func (w *Watched) Acquire(ctx context.Context) (lock.Lease, error) {
	return w.take(ctx, w.locker.Acquire, false)
}

// TryAcquire calls the locker's TryAcquire. If the locker is not a [lock.TryLocker], it
// returns an error.
func (w *Watched) TryAcquire(ctx context.Context) (lock.Lease, error) {
	try, can := w.locker.(lock.TryLocker)
	if !can {
		return nil, fmt.Errorf("%w: the lock %s cannot be tried without waiting (lock.TryLocker)", lock.ErrNotAcquired, w.name)
	}
	return w.take(ctx, try.TryAcquire, true)
}

func (w *Watched) take(ctx context.Context, acquire func(context.Context) (lock.Lease, error), try bool) (lock.Lease, error) {
	p := w.process
	call := p.rec.Take(p.process, w.name, try)
	lease, err := acquire(ctx)
	if err == nil && lease == nil {
		err = errors.New("the lock's Acquire has returned neither a lease nor an error")
	}
	if err != nil {
		call.End(claim.Tried(err), err, nil)
		return nil, err
	}
	h := &hold{lease: lease, of: w, call: call}
	workload.Granted(p.process, call, lease, call.ID, h.claimed())
	return h.leased(), nil
}

// hold is one acquisition of a watched lock.
type hold struct {
	lease lock.Lease
	of    *Watched
	call  *record.Call
	until time.Time // as recorded last
}

// claimed returns a function that records the end of the lease, if that is new.
func (h *hold) claimed() func(*model.Operation) {
	end := claim.End(h.lease)
	if end.Equal(h.until) {
		return func(*model.Operation) {}
	}
	h.until = end
	until := h.of.process.process.LeaseClock().When(end)
	return func(op *model.Operation) { op.Leased, op.Until = true, until }
}

// Release calls the lease's Release.
func (h *hold) Release(ctx context.Context) error {
	call := h.of.process.rec.With(h.call, model.Release)
	err := h.lease.Release(ctx)
	answered(call, err, func(*model.Operation) {})
	return err
}

// Lost returns the lease's Lost channel, or nil if the lease has none.
func (h *hold) Lost() <-chan struct{} {
	if n, notifies := h.lease.(lock.Notifier); notifies {
		return n.Lost()
	}
	return nil
}

// extender extends a hold.
type extender struct {
	h  *hold
	by lock.Extender
}

// Extend calls the lease's Extend.
func (x extender) Extend(ctx context.Context, ttl time.Duration) error {
	h := x.h
	call := h.of.process.rec.With(h.call, model.Extend)
	err := x.by.Extend(ctx, ttl)
	claimed := func(*model.Operation) {}
	if err == nil {
		claimed = h.claimed()
	}
	answered(call, err, claimed)
	return err
}

// Held calls the lease's Held. If the lease is not a [lock.Checker], it returns an
// error.
func (h *hold) Held(ctx context.Context) (bool, error) {
	if c, checks := h.lease.(lock.Checker); checks {
		return c.Held(ctx)
	}
	return false, fmt.Errorf("whether the lock %s is held cannot be asked (lock.Checker)", h.of.name)
}

// answered records the result of a Release or an Extend. Fill completes the operation.
func answered(call *record.Call, err error, fill func(*model.Operation)) {
	result, notHeld := claim.Answered(err)
	call.End(result, err, func(op *model.Operation) {
		op.NotHeld = notHeld
		fill(op)
	})
}

// leased returns the hold with the optional interfaces of its lease, for code that asks for them. It always
// has Held and Lost; see there for a lease without them.
func (h *hold) leased() lock.Lease {
	by, extends := h.lease.(lock.Extender)
	x := extender{h, by}
	e, expires := h.lease.(lock.Expirer)
	f, fenced := h.lease.(lock.Fenced)
	switch [...]bool{extends, expires, fenced} {
	case [...]bool{true, false, false}:
		return struct {
			*hold
			extender
		}{h, x}
	case [...]bool{false, true, false}:
		return struct {
			*hold
			lock.Expirer
		}{h, e}
	case [...]bool{true, true, false}:
		return struct {
			*hold
			extender
			lock.Expirer
		}{h, x, e}
	case [...]bool{false, false, true}:
		return struct {
			*hold
			lock.Fenced
		}{h, f}
	case [...]bool{true, false, true}:
		return struct {
			*hold
			extender
			lock.Fenced
		}{h, x, f}
	case [...]bool{false, true, true}:
		return struct {
			*hold
			lock.Expirer
			lock.Fenced
		}{h, e, f}
	case [...]bool{true, true, true}:
		return struct {
			*hold
			extender
			lock.Expirer
			lock.Fenced
		}{h, x, e, f}
	}
	return h
}
