package cell

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/internal/record"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
)

// Watch makes the run's history tell of a lock that the program uses: who has it, with which token,
// until when, and which of the properties of locks it violates. Name names it in texts; it need not
// be the lock's own name. The locker is used as ever. What is taken by another way than Watch's
// result is not seen.
func (p *Process) Watch(name string, locker lock.Locker) *Watched {
	return &Watched{process: p, name: name, locker: locker}
}

// Watched is a lock that the history tells of: see [Process.Watch].
type Watched struct {
	process *Process
	name    string
	locker  lock.Locker
}

// Acquire is Acquire of the locker.
func (w *Watched) Acquire(ctx context.Context) (lock.Lease, error) {
	return w.take(ctx, w.locker.Acquire, false)
}

// TryAcquire is TryAcquire of the locker. A locker that cannot try returns an error.
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
	switch {
	case err == nil:
		return w.held(lease, call), nil
	case errors.Is(err, lock.ErrNotAcquired):
		call.End(model.Failed, err, nil)
	default:
		call.End(model.Unknown, err, nil)
	}
	return nil, err
}

// held is a hold, with what the lease says of itself.
func (w *Watched) held(lease lock.Lease, call *record.Call) lock.Lease {
	h := &hold{lease: lease, of: w, call: call}
	var token *int64
	if f, fenced := lease.(lock.Fenced); fenced {
		n := f.Token()
		token = &n
	}
	claimed := h.claimed()
	n, notifies := lease.(lock.Notifier)
	number := 0
	call.End(model.OK, nil, func(op *model.Operation) {
		if token != nil {
			op.Fenced, op.Token = true, *token
		}
		op.Notifies, number = notifies, op.ID
		claimed(op)
	})
	if notifies {
		go func() {
			select {
			case <-n.Lost():
				call.Lost(number)
			case <-w.process.process.Ended():
			}
		}()
	}
	return h.leased()
}

// hold is one acquisition of a watched lock.
type hold struct {
	lease lock.Lease
	of    *Watched
	call  *record.Call
	until time.Time // as it has been recorded
}

// claimed returns a function that records the end of the lease, if it tells one that is new.
func (h *hold) claimed() func(*model.Operation) {
	e, expires := h.lease.(lock.Expirer)
	if !expires || e.Until().Equal(h.until) {
		return func(*model.Operation) {}
	}
	h.until = e.Until()
	until := h.of.process.process.Clock().When(h.until)
	return func(op *model.Operation) { op.Leased, op.Until = true, until }
}

// Release is Release of the lease.
func (h *hold) Release(ctx context.Context) error {
	call := h.of.process.rec.With(h.call, model.Release)
	err := h.lease.Release(ctx)
	answered(call, err, nil)
	return err
}

// Lost is Lost of the lease, nil if that signals nothing.
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

// Extend is Extend of the lease.
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

// answered records what a Release or an Extend has returned.
func answered(call *record.Call, err error, more func(*model.Operation)) {
	result, notHeld := model.OK, false
	switch {
	case errors.Is(err, lock.ErrNotHeld):
		result, notHeld = model.Failed, true
	case err != nil:
		result = model.Unknown
	}
	call.End(result, err, func(op *model.Operation) {
		op.NotHeld = notHeld
		if more != nil {
			more(op)
		}
	})
}

// leased is the hold with the capabilities of its lease, and no others: code asks for them.
func (h *hold) leased() lock.Lease {
	if c, checks := h.lease.(lock.Checker); checks {
		return h.checking(c)
	}
	return h.plain()
}

// plain is the hold of a lease that is no [lock.Checker].
func (h *hold) plain() lock.Lease {
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

// checking is the hold of a lease that is one.
func (h *hold) checking(c lock.Checker) lock.Lease {
	by, extends := h.lease.(lock.Extender)
	x := extender{h, by}
	e, expires := h.lease.(lock.Expirer)
	f, fenced := h.lease.(lock.Fenced)
	switch [...]bool{extends, expires, fenced} {
	case [...]bool{true, false, false}:
		return struct {
			*hold
			extender
			lock.Checker
		}{h, x, c}
	case [...]bool{false, true, false}:
		return struct {
			*hold
			lock.Expirer
			lock.Checker
		}{h, e, c}
	case [...]bool{true, true, false}:
		return struct {
			*hold
			extender
			lock.Expirer
			lock.Checker
		}{h, x, e, c}
	case [...]bool{false, false, true}:
		return struct {
			*hold
			lock.Fenced
			lock.Checker
		}{h, f, c}
	case [...]bool{true, false, true}:
		return struct {
			*hold
			extender
			lock.Fenced
			lock.Checker
		}{h, x, f, c}
	case [...]bool{false, true, true}:
		return struct {
			*hold
			lock.Expirer
			lock.Fenced
			lock.Checker
		}{h, e, f, c}
	case [...]bool{true, true, true}:
		return struct {
			*hold
			extender
			lock.Expirer
			lock.Fenced
			lock.Checker
		}{h, x, e, f, c}
	}
	return struct {
		*hold
		lock.Checker
	}{h, c}
}
