package pull

import (
	"context"
	"errors"
	"fmt"
)

// A Handler wraps the acquisitions and releases of lockers. It may act before and
// after calling next, which it calls at most once; it stops the chain by not
// calling next. It must be safe for concurrent use; lockers may share it.
//
// Errors propagate up the chain to the caller: those of next, and those of the
// handler. [OutcomeOf] distinguishes a timeout from a failure. A handler that also
// needs errors of handlers around it is an [ErrorHook].
type Handler interface {
	// Acquire returns nil if the lock is held. It may do so only if next has
	// returned nil. If it returns an error or panics after next has returned nil,
	// the lock is given back.
	Acquire(ctx context.Context, a *Acquisition, next func(context.Context) error) error
	// Release returns nil if the lock was given up. If it returns an error or panics
	// without having called next, the rest of the chain is still released. It may be
	// called again after a release of uncertain outcome.
	Release(ctx context.Context, a *Acquisition, next func(context.Context) error) error
}

// A Step says whether an Acquire or a Release failed: see [ErrorHook].
type Step string

// The steps.
const (
	AcquireStep Step = "acquire"
	ReleaseStep Step = "release"
)

// An ErrorHook is a handler that is called for every failed Acquire and Release,
// wherever in the chain it failed, after the lock has been given back. A lock that
// another holds, or that was not held any more, is not a failure.
type ErrorHook interface {
	Handler
	Failed(ctx context.Context, a *Acquisition, step Step, err error)
}

// Pass is a handler that does nothing, for embedding in handlers that need only one
// of the two methods.
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
	errNotTaken   = errors.New("a handler returned no error, but next failed or was not called")
)

// acquireFrom calls the i-th handler and those after it, and then the store.
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
		err = errNotTaken
	}
	return err
}

// undo releases through the handlers after the i-th and the store, because of an error
// or, if because is nil, a panic. It runs even if ctx is done.
func (l *Locker) undo(ctx context.Context, i int, a *Acquisition, because error) error {
	err := l.releaseFrom(context.WithoutCancel(ctx), i, a)
	if !gone(err) {
		return errors.Join(because, fmt.Errorf("cannot release the lock again: %w", err))
	}
	return because
}

// releaseFrom releases through the i-th handler and those after it, and then the
// store.
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

// failed calls the error hooks with an error, the innermost first.
func (l *Locker) failed(ctx context.Context, a *Acquisition, step Step, err error) {
	if OutcomeOf(err) != Failed {
		return
	}
	for i := len(l.options.Handlers) - 1; i >= 0; i-- {
		if h, ok := l.options.Handlers[i].(ErrorHook); ok {
			h.Failed(ctx, a, step, err)
		}
	}
}
