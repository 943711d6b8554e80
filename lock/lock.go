package lock

import (
	"context"
	"errors"
	"time"
)

var (
	// ErrNotHeld is returned by Release and Extend, wrapped or not, when the caller
	// certainly does not hold the lease any more.
	ErrNotHeld = errors.New("lock: not held")
	// ErrNotAcquired is returned by Acquire, wrapped or not, when it gave up and
	// certainly holds nothing. Any other error leaves open whether the lock was
	// taken.
	ErrNotAcquired = errors.New("lock: not acquired")
	// ErrClosed is returned by a closed locker, wrapped or not. Nothing was taken.
	ErrClosed = errors.New("lock: closed")
	// ErrUnknown is returned, wrapped or not, by a call that cannot know whether it took
	// effect, and would not learn it by another try, such as an adapter of a library
	// whose method returns nothing. An error that wraps it together with another error of
	// this package leaves the outcome open, too.
	ErrUnknown = errors.New("lock: outcome unknown")
)

// A Locker acquires one named lock. One Locker belongs to one client process
// and is shared by its threads, so Acquire must be safe for concurrent use.
type Locker interface {
	// Acquire blocks until the lock is held, ctx is done, or the locker gives
	// up.
	Acquire(ctx context.Context) (Lease, error)
}

// A TryLocker is a locker that can also acquire without waiting.
type TryLocker interface {
	Locker
	// TryAcquire takes the lock if it is free. It returns ErrNotAcquired at once if
	// it is held; any other error leaves open whether the lock was taken.
	TryAcquire(ctx context.Context) (Lease, error)
}

// A Lease is one acquisition of a lock. Its methods are called by one
// goroutine at a time.
type Lease interface {
	// Release gives the lock up. It returns ErrNotHeld when the caller certainly did not hold the
	// lease any more; after any other error, such as ErrUnknown, the lock may or may not have been
	// given up.
	//
	// A lease may be released again: after an error, such as that of a context that had ended, and
	// after a success. Such a call must neither panic nor give up a lock that another client holds
	// by then.
	Release(ctx context.Context) error
}

// An Extender is a lease that can be extended.
type Extender interface {
	// Extend makes the lease last for ttl from now. It returns ErrNotHeld when the caller certainly does not hold
	// the lease any more; after any other error the lease may or may not have been extended.
	Extend(ctx context.Context, ttl time.Duration) error
}

// An Expirer is a lease that says how long it is valid.
type Expirer interface {
	// Until returns the end of the validity that the lease claims, by the
	// process's own clock.
	Until() time.Time
}

// A Fenced lease carries a fencing token: a number that grows with every
// acquisition, by which a resource can refuse late requests (Kleppmann, "How to do
// distributed locking", 2016).
type Fenced interface {
	Token() int64
}

// A Checker is a lease that can ask the store whether it is still held.
type Checker interface {
	// Held reports whether the lease was still held a moment ago: the answer may be out
	// of date when it arrives. An error leaves the question open.
	Held(ctx context.Context) (bool, error)
}

// A Notifier is a lease that signals its loss.
type Notifier interface {
	// Lost is closed when the lease is known to be lost.
	Lost() <-chan struct{}
}

type ttlKey struct{}
type ownerKey struct{}

// WithTTL returns a context that asks Acquire for a lease of the given length, in place
// of the locker's own.
func WithTTL(ctx context.Context, ttl time.Duration) context.Context {
	return context.WithValue(ctx, ttlKey{}, ttl)
}

// TTL returns the length given to [WithTTL], or otherwise if there is none.
func TTL(ctx context.Context, otherwise time.Duration) time.Duration {
	if ttl, ok := ctx.Value(ttlKey{}).(time.Duration); ok {
		return ttl
	}
	return otherwise
}

// WithOwner returns a context that names the owner of an acquisition, for re-entrant
// locks. Without it each Acquire is its own owner.
func WithOwner(ctx context.Context, owner string) context.Context {
	return context.WithValue(ctx, ownerKey{}, owner)
}

// Owner returns the owner given to [WithOwner], and whether there is one.
func Owner(ctx context.Context) (owner string, ok bool) {
	owner, ok = ctx.Value(ownerKey{}).(string)
	return owner, ok
}
