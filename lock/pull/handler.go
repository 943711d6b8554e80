package pull

import (
	"context"
	"errors"
	"fmt"
)

// A Handler wraps the acquisitions and releases of lockers. It may act before
// and after those that it wraps, which it has done by calling next, once; or stop
// the chain by not calling it. It must be safe for concurrent use; lockers may
// share it.
//
// Errors are answers of the chain: what next returns, and what the handler
// returns, goes up to the caller. [OutcomeOf] tells a timeout from a failure. A
// handler that also wants to hear of errors that others make when it has had its
// say is an [ErrorHook].
type Handler interface {
	// Acquire returns nil if the lock is held, which it may not say unless next
	// has said it. If it returns an error or panics although next has returned
	// nil, what next took is given back: nothing stays held.
	Acquire(ctx context.Context, a *Acquisition, next func(context.Context) error) error
	// Release returns nil if the lock was given up. If it returns an error or
	// panics without having called next, the rest of the chain is released
	// nevertheless. It may be called again for a release that could not tell
	// whether the lock was given up.
	Release(ctx context.Context, a *Acquisition, next func(context.Context) error) error
}

// Step is what a chain was doing.
type Step string

// The steps.
const (
	AcquireStep Step = "acquire"
	ReleaseStep Step = "release"
)

// An ErrorHook is a handler that hears of every Acquire and Release that failed,
// whoever in the chain failed it, when what was held has been given back. A lock
// that was taken, or not held any more, is no failure.
type ErrorHook interface {
	Handler
	Failed(ctx context.Context, a *Acquisition, step Step, err error)
}

// Pass is a handler that does nothing, to be embedded in those that care for one
// of the two.
type Pass struct{}

// Acquire calls next.
func (Pass) Acquire(ctx context.Context, _ *Acquisition, next func(context.Context) error) error {
	return next(ctx)
}

// Release calls next.
func (Pass) Release(ctx context.Context, _ *Acquisition, next func(context.Context) error) error {
	return next(ctx)
}

// Mistakes of handlers.
var (
	errAskedTwice = errors.New("a handler has called next twice")
	errMadeUp     = errors.New("a handler says that the lock is held, which next has not said")
)

// acquireFrom asks the i-th handler and those behind it, and the store behind
// them all.
func (l *Locker) acquireFrom(ctx context.Context, i int, a *Acquisition) (err error) {
	if i == len(l.options.Handlers) {
		return l.spin(ctx, a)
	}
	var next struct{ asked, held bool }
	returned := false
	defer func() {
		if next.held && (!returned || err != nil) {
			err = l.undo(ctx, i+1, a, err)
		}
	}()
	err = l.options.Handlers[i].Acquire(ctx, a, func(ctx context.Context) error {
		if next.asked {
			return errAskedTwice
		}
		next.asked = true
		err := l.acquireFrom(ctx, i+1, a)
		next.held = err == nil
		return err
	})
	returned = true
	if err == nil && !next.held {
		err = errMadeUp
	}
	return err
}

// undo releases what is behind the i-th handler, because of an error or, if that
// is nil, a panic. It happens though ctx be done.
func (l *Locker) undo(ctx context.Context, i int, a *Acquisition, because error) error {
	err := l.releaseFrom(context.WithoutCancel(ctx), i, a)
	if !gone(err) {
		return errors.Join(because, fmt.Errorf("giving back what was taken: %w", err))
	}
	return because
}

// releaseFrom releases by the i-th handler and those behind it, and the store
// behind them all.
func (l *Locker) releaseFrom(ctx context.Context, i int, a *Acquisition) (err error) {
	if i == len(l.options.Handlers) {
		return l.remove(ctx, a)
	}
	asked, returned := false, false
	defer func() {
		if !asked && (!returned || err != nil) {
			err = errors.Join(err, l.releaseFrom(ctx, i+1, a))
		}
	}()
	err = l.options.Handlers[i].Release(ctx, a, func(ctx context.Context) error {
		if asked {
			return errAskedTwice
		}
		asked = true
		return l.releaseFrom(ctx, i+1, a)
	})
	returned = true
	return err
}

// tell lets those who want to hear of errors hear of one, the innermost first.
func (l *Locker) tell(ctx context.Context, a *Acquisition, step Step, err error) {
	if OutcomeOf(err) != Failed {
		return
	}
	for i := len(l.options.Handlers) - 1; i >= 0; i-- {
		if h, ok := l.options.Handlers[i].(ErrorHook); ok {
			h.Failed(ctx, a, step, err)
		}
	}
}
