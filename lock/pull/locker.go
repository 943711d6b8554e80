package pull

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
)

// Locker acquires one named lock of a store. It is safe for concurrent use.
type Locker struct {
	store   Store
	name    string
	options Options
	dice    dice
}

// New returns a locker for the lock of the given name. It panics without a
// store.
func New(store Store, name string, options Options) *Locker {
	if store == nil {
		panic("pull.New: no store; redislocks.NewStore makes one")
	}
	l := &Locker{store: store, name: name, options: options.withDefaults()}
	l.dice.rand = options.Rand
	return l
}

// Acquire tries until the lock is held, ctx is done, Options.Wait is over, the
// store fails or a handler does. The lease that it returns is a [lock.Extender], a
// [lock.Expirer] and a [lock.Notifier], and over a [Reader] a [lock.Checker].
//
// The error is [ErrTimeout] if the lock was taken for the whole wait. It is
// lock.ErrNotAcquired if nothing is certainly held: after ErrTimeout, and if ctx ended
// during a sleep. After any other error the record has been removed if it was there; a
// request that is still under way may add it again, for its TTL.
func (l *Locker) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.acquire(ctx, false)
}

// TryAcquire asks once. The error is lock.ErrNotAcquired if another client has the
// lock; see Acquire for others.
func (l *Locker) TryAcquire(ctx context.Context) (lock.Lease, error) {
	return l.acquire(ctx, true)
}

func (l *Locker) acquire(ctx context.Context, try bool) (lock.Lease, error) {
	a := &Acquisition{
		Name: l.name, Value: rand.Text(), Try: try, Began: l.options.Clock.Now(),
		TTL:   max(lock.TTL(ctx, l.options.TTL), time.Millisecond),
		clock: l.options.Clock, removed: true,
	}
	if l.options.Wait > 0 {
		a.deadline = a.Began.Add(l.options.Wait)
	}
	err := l.acquireFrom(ctx, 0, a)
	now := l.options.Clock.Now()
	if err == nil && !now.Before(a.Until) {
		err = l.undo(ctx, 0, a, ErrTooLate) // the handlers took too long
	}
	if err != nil {
		l.failed(ctx, a, AcquireStep, err)
		return nil, fmt.Errorf("pull: acquire %q: %w", l.name, err)
	}
	h := newLease(l, a, now)
	if reader, can := l.store.(Reader); can {
		return &checkedLease{h, reader}, nil
	}
	return h, nil
}

// spin asks the store until the lock is held or it has to give up.
func (l *Locker) spin(ctx context.Context, a *Acquisition) error {
	for {
		sent := l.options.Clock.Now()
		added, err := l.ask(ctx, a)
		switch {
		case err != nil:
			return l.cleanUp(ctx, a, err)
		case added:
			return l.granted(ctx, a, sent)
		case a.Try:
			return lock.ErrNotAcquired
		}
		if err := l.pause(ctx, a); err != nil {
			return err
		}
	}
}

// ask sends one request for the lock.
func (l *Locker) ask(ctx context.Context, a *Acquisition) (added bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, l.options.IOTimeout)
	defer cancel()
	a.Tries++
	a.removed = false
	added, err = l.store.AddIfAbsent(ctx, a.Name, a.Value, a.TTL)
	a.removed = err == nil && !added
	return added, err
}

// granted handles a grant of the lock for a request that was sent at the given
// time.
func (l *Locker) granted(ctx context.Context, a *Acquisition, sent time.Time) error {
	a.Held, a.Until = sent, sent.Add(l.options.valid(a.TTL))
	if !l.options.Clock.Now().Before(a.Until) {
		return l.cleanUp(ctx, a, ErrTooLate)
	}
	return nil
}

// cleanUp removes the record that a failed acquisition may have left.
func (l *Locker) cleanUp(ctx context.Context, a *Acquisition, because error) error {
	if ctx.Err() != nil {
		because = errors.Join(because, fmt.Errorf("%w: %w", errCancelled, ctx.Err()))
	}
	if err := l.remove(context.WithoutCancel(ctx), a); !gone(err) {
		return errors.Join(because, fmt.Errorf("cannot clean up: %w", err))
	}
	return because
}

// remove removes the acquisition's record from the store. A request without an
// answer is sent again, each with a context of its own: a request that is lost, or
// that ends in a pause of this process, would leave the lock taken.
func (l *Locker) remove(ctx context.Context, a *Acquisition) error {
	for try := range removeTries {
		if try > 0 {
			l.options.Clock.Sleep(l.options.MinSleep)
		}
		deleted, err := l.compareAndDelete(ctx, a)
		if err != nil {
			a.unsure = err
			continue
		}
		a.removed = true
		switch {
		case deleted:
			return nil
		case a.unsure != nil:
			return fmt.Errorf("%w: %w", ErrUnsure, a.unsure)
		}
		return lock.ErrNotHeld
	}
	return a.unsure
}

// removeTries is the number of tries to remove a record.
const removeTries = 3

func (l *Locker) compareAndDelete(ctx context.Context, a *Acquisition) (deleted bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, l.options.IOTimeout)
	defer cancel()
	return l.store.CompareAndDelete(ctx, a.Name, a.Value)
}

// gone reports whether the result of a removal means that the record does not exist any
// more.
func gone(err error) bool {
	return err == nil || errors.Is(err, lock.ErrNotHeld) || errors.Is(err, ErrUnsure)
}

// pause sleeps until the next try, or returns why there is none.
func (l *Locker) pause(ctx context.Context, a *Acquisition) error {
	d := l.dice.sleep(&l.options)
	if left, limited := a.Remaining(); limited {
		if left == 0 {
			return ErrTimeout
		}
		d = min(d, left) // with a last try when the time is up
	}
	timer := l.options.Clock.NewTimer(d)
	select {
	case <-timer.Chan():
		if ctx.Err() == nil {
			return nil
		}
	case <-ctx.Done():
		timer.Stop()
	}
	return cancelled(ctx)
}
